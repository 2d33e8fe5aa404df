//! All exchanges with one peer.

use std::fs;
use std::path::{Path, PathBuf};

use phoca_rlwe::seal::{Compression, Load, Version};
use phoca_rlwe::{KeyGenerator, Scheme, SecretKey};

use crate::Result;
use crate::exchange::{Budgets, Exchange, ROWS, Row};
use crate::identical::{Comparison, OPERATIONS, Outcome};
use crate::matrix::{Cell, IDENTICAL_SIZES, Table};
use crate::party::{Party, SCHEMES, Set, Size};
use crate::peer::Peer;
use crate::to_peer::Objects;

/// What one peer gave.
pub struct Report {
    pub name: &'static str,
    pub title: String,
    pub stamp: Version,
    pub tables: Vec<Table>,
    /// By operation and scheme: the outcomes by [`IDENTICAL_SIZES`].
    pub identical: Vec<Vec<Vec<Outcome>>>,
    /// By version that the peer reads besides its own, and by scheme.
    pub stamps: Vec<(Version, Vec<Cell>)>,
    pub budgets: Budgets,
}

/// A column of the matrix: a parameter set and what the files are compressed with.
#[derive(Clone, Copy, Debug)]
pub struct Column {
    pub label: &'static str,
    size: Size,
    /// None for whatever the peer writes at the least, and none at all for what Phoca writes.
    compression: Option<Compression>,
}

pub const COLUMNS: [Column; 5] = [
    Column { label: "none", size: Size::Small, compression: Some(Compression::None) },
    Column { label: "zlib", size: Size::Small, compression: Some(Compression::Zlib) },
    Column { label: "zstd", size: Size::Small, compression: Some(Compression::Zstd) },
    Column { label: "odd", size: Size::Odd, compression: None },
    Column { label: "8192", size: Size::Default, compression: None },
];

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Direction {
    FromPeer,
    ToPeer,
}

pub struct Session {
    peer: Peer,
    dir: PathBuf,
    budgets: Budgets,
}

impl Session {
    /// Starts the peer and runs all; an error means that the peer could not be started.
    pub fn run(name: &'static str, dir: &Path) -> Result<Report> {
        let mut session = Self { peer: Peer::start(name)?, dir: dir.join(name), budgets: Budgets::default() };
        let mut tables = Vec::new();
        let mut identical = vec![vec![Vec::new(); SCHEMES.len()]; OPERATIONS.len()];
        for (index, scheme) in SCHEMES.into_iter().enumerate() {
            let mut table = Table::new(scheme);
            for column in &COLUMNS {
                let cells = session.receive_column(scheme, column, |operation, outcome: Outcome| {
                    identical[operation][index].push(outcome);
                });
                table.push(Direction::FromPeer, cells);
            }
            for column in &COLUMNS {
                table.push(Direction::ToPeer, session.send_column(scheme, column, session.peer.stamp));
            }
            tables.push(table);
        }
        let stamps = session.other_stamps();
        let Self { peer, budgets, .. } = session;
        Ok(Report { name, title: peer.title.clone(), stamp: peer.stamp, tables, identical, stamps, budgets })
    }

    fn exchange<'a>(
        &'a mut self,
        set: &'a Set,
        party: Party,
        dir: PathBuf,
        compression: Compression,
        version: Version,
    ) -> Exchange<'a> {
        Exchange { peer: &mut self.peer, set, party, dir, compression, version, budgets: Default::default() }
    }

    fn folder(&self, scheme: Scheme, what: &str) -> Result<PathBuf> {
        let dir = self.dir.join(format!("{}.{what}", scheme.name()));
        fs::create_dir_all(&dir)?;
        Ok(dir)
    }

    /// What the peer writes.
    fn receive_column(&mut self, scheme: Scheme, column: &Column, record: impl FnMut(usize, Outcome)) -> Vec<Cell> {
        let compression = column.compression.unwrap_or(self.peer.writes[0]);
        if !self.peer.writes.contains(&compression) {
            return vec![Cell::NotApplicable(lacks_compression(self.peer.name)); ROWS.len()];
        }
        self.try_receive_column(scheme, column, compression, record).unwrap_or_else(|error| failed(&*error))
    }

    fn try_receive_column(
        &mut self,
        scheme: Scheme,
        column: &Column,
        compression: Compression,
        mut record: impl FnMut(usize, Outcome),
    ) -> Result<Vec<Cell>> {
        let set = Set::new(column.size, scheme)?;
        let dir = self.folder(scheme, &format!("from.{}", column.label))?;
        let mut request = set.request();
        request["dir"] = dir.to_str().ok_or("a path in Unicode")?.into();
        request["compression"] = compression.to_string().into();
        let made = self.peer.ask("make", request)?;
        let context = set.context()?;
        let secret_key = SecretKey::load(fs::File::open(dir.join("secret_key.seal"))?, &context)?;
        let party = Party::new(&context, secret_key)?;
        let (name, stamp) = (self.peer.name, self.peer.stamp);
        let is_compared = column.size != Size::Small || compression == self.peer.writes[0];
        let mut exchange = self.exchange(&set, party, dir, compression, stamp);
        let mut cells = Vec::new();
        for row in &ROWS {
            let missing = made["missing"].get(format!("{}.seal", row.file)).is_some();
            cells.push(match (cannot(name, row, Direction::FromPeer), missing) {
                (Some(reason), true) => Cell::NotApplicable(reason),
                (Some(_), false) => Cell::Failed("the peer can write it now".into()),
                (None, _) => exchange.receive(row).into(),
            });
        }
        if is_compared && IDENTICAL_SIZES.contains(&column.size) {
            let mut comparison = Comparison::new(&mut exchange)?;
            for (index, operation) in OPERATIONS.iter().enumerate() {
                record(index, comparison.run(operation));
            }
        }
        let budgets = exchange.budgets.take();
        self.budgets.merge(budgets);
        Ok(cells)
    }

    /// What Phoca writes.
    fn send_column(&mut self, scheme: Scheme, column: &Column, version: Version) -> Vec<Cell> {
        let compression = column.compression.unwrap_or_default();
        if !self.peer.reads.contains(&compression) {
            return vec![Cell::NotApplicable(lacks_compression(self.peer.name)); ROWS.len()];
        }
        self.try_send_column(scheme, column, compression, version).unwrap_or_else(|error| failed(&*error))
    }

    fn try_send_column(
        &mut self,
        scheme: Scheme,
        column: &Column,
        compression: Compression,
        version: Version,
    ) -> Result<Vec<Cell>> {
        let set = Set::new(column.size, scheme)?;
        let dir = self.folder(scheme, &format!("to.{}.{version}", column.label))?;
        let context = set.context()?;
        let generator = KeyGenerator::new(&context)?;
        let party = Party::new(&context, generator.secret_key().clone())?;
        let name = self.peer.name;
        let mut exchange = self.exchange(&set, party, dir, compression, version);
        let objects = Objects::new(&generator, &exchange)?;
        let mut sent: Vec<Result> = ROWS.iter().map(|row| exchange.send(row, &objects)).collect();
        let verdicts = exchange.peer_evaluates();
        let mut cells = Vec::new();
        for (row, sent) in ROWS.iter().zip(&mut sent) {
            let sent = std::mem::replace(sent, Ok(()));
            cells.push(match cannot(name, row, Direction::ToPeer) {
                Some(reason) => Cell::NotApplicable(reason),
                None => sent.and_then(|()| exchange.returned(row, &objects, &verdicts)).into(),
            });
        }
        let budgets = exchange.budgets.take();
        self.budgets.merge(budgets);
        Ok(cells)
    }

    /// SEAL 4.4 reads files of every 4.x; the others read their own version only.
    fn other_stamps(&mut self) -> Vec<(Version, Vec<Cell>)> {
        if self.peer.stamp != Version::V4_4 {
            return Vec::new();
        }
        let versions = [Version::V4_0, Version::V4_1, Version::V4_3];
        versions.map(|version| (version, SCHEMES.map(|scheme| self.stamp_cell(scheme, version)).into())).into()
    }

    fn stamp_cell(&mut self, scheme: Scheme, version: Version) -> Cell {
        let cells = self.send_column(scheme, &COLUMNS[0], version);
        let failed = cells.into_iter().zip(&ROWS).find_map(|(cell, row)| match cell {
            Cell::Failed(error) => Some(format!("{}: {error}", row.label)),
            _ => None,
        });
        failed.map_or(Cell::Passed, Cell::Failed)
    }
}

impl Budgets {
    pub fn merge(&mut self, other: Self) {
        self.compared += other.compared;
        self.largest_difference = self.largest_difference.max(other.largest_difference);
        self.gain = match (self.gain, other.gain) {
            (Some(a), Some(b)) => Some((a.0.min(b.0), a.1.max(b.1))),
            (a, b) => a.or(b),
        };
    }
}

fn failed(error: &(dyn std::error::Error + Send + Sync)) -> Vec<Cell> {
    vec![Cell::Failed(error.to_string()); ROWS.len()]
}

fn lacks_compression(name: &str) -> &'static str {
    match name {
        "seal" => "this build of SEAL has neither zlib nor zstd",
        _ => "its save() takes no compression and always uses zstd",
    }
}

/// Why the peer has nothing for a row.
fn cannot(name: &str, row: &Row, direction: Direction) -> Option<&'static str> {
    match (name, row.kind, direction) {
        ("seal", "modulus", _) => Some("the binding neither saves nor loads a bare Modulus"),
        ("seal", _, Direction::FromPeer) if row.seeded => Some("the binding has no Serializable (seeded) objects"),
        ("tenseal", "public_key", Direction::FromPeer) if row.seeded => {
            Some("the binding has no Serializable<PublicKey>")
        }
        _ => None,
    }
}
