//! The syntax tree as a typed graph: equal parts once, constants folded, products balanced, paddings known.
//!
//! A vector of `L` values fills the slots of `ceil(L / slots)` ciphertexts; the slots after the last value are its
//! padding. Where a node is `clean`, its padding is zero, so that a sum over all slots is the sum of the values. An
//! encrypted scalar is in every slot of one ciphertext, so that it combines with vectors of any length.

mod build;

use std::collections::{BTreeSet, HashMap};

pub use build::build;

use super::constant::{Constant, Domain};

/// Index of a node in [`Graph::nodes`]; operands come before whatever uses them.
pub type NodeId = usize;

/// What is computed, without how.
#[derive(Clone, Debug)]
pub struct Graph {
    /// All nodes.
    pub nodes: Vec<Node>,
    /// The node of the result, which is encrypted.
    pub result: NodeId,
    /// Slots of one ciphertext.
    pub slots: usize,
}

/// One value of the computation.
#[derive(Clone, Debug)]
pub struct Node {
    /// How it comes about.
    pub operation: Operation,
    /// Its values.
    pub shape: Shape,
    /// Whether the slots after the last value are zero.
    pub clean: bool,
    /// The products on the way from the inputs.
    depth: u32,
}

/// How many values there are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shape {
    /// One value, which every slot of one ciphertext holds.
    Scalar,
    /// So many values, one in each slot.
    Vector(usize),
}

/// What an encrypted input holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum InputShape {
    /// One number in every slot of one ciphertext.
    Repeated,
    /// One number in the first slot of one ciphertext, with zeros in the others.
    Single,
    /// So many numbers, with zeros in the slots after the last.
    Vector(usize),
}

/// How a value comes about. Constants are operands on the right only.
#[derive(Clone, Debug, PartialEq)]
pub enum Operation {
    /// The encrypted input of this number.
    Input(usize),
    /// A plain value.
    Constant(Constant),
    /// `−a`.
    Negate(NodeId),
    /// `a + b`.
    Add(NodeId, NodeId),
    /// `a − b` of ciphertexts.
    Subtract(NodeId, NodeId),
    /// `a·b`.
    Multiply(NodeId, NodeId),
    /// The sum of all values of a vector with zero padding.
    Sum(NodeId),
    /// The vector turned left by so many places, with those that leave coming in at the end.
    Rotate(NodeId, usize),
}

impl Graph {
    /// The constant at `node`, if it is one.
    pub fn constant(&self, node: NodeId) -> Option<&Constant> {
        match &self.nodes[node].operation {
            Operation::Constant(constant) => Some(constant),
            _ => None,
        }
    }
}

/// A graph that grows.
struct Builder {
    graph: Graph,
    domain: Domain,
    known: HashMap<Key, NodeId>,
}

/// What makes two nodes one.
#[derive(PartialEq, Eq, Hash)]
enum Key {
    Input(usize),
    Constant(Option<usize>, Vec<u64>),
    Negate(NodeId),
    Add(NodeId, NodeId),
    Subtract(NodeId, NodeId),
    Multiply(NodeId, NodeId),
    Sum(NodeId),
    Rotate(NodeId, usize),
}

impl Builder {
    fn node(&mut self, operation: Operation, shape: Shape, clean: bool) -> NodeId {
        let key = match &operation {
            Operation::Input(index) => Key::Input(*index),
            Operation::Constant(constant) => {
                let (length, words) = constant.key();
                Key::Constant(length, words)
            }
            Operation::Negate(a) => Key::Negate(*a),
            Operation::Add(a, b) => Key::Add(*a, *b),
            Operation::Subtract(a, b) => Key::Subtract(*a, *b),
            Operation::Multiply(a, b) => Key::Multiply(*a, *b),
            Operation::Sum(a) => Key::Sum(*a),
            Operation::Rotate(a, steps) => Key::Rotate(*a, *steps),
        };
        if let Some(&node) = self.known.get(&key) {
            return node;
        }
        let depth = self.depth_of(&operation);
        // A vector that fills its ciphertexts has no padding.
        let full = matches!(shape, Shape::Vector(length) if length.is_multiple_of(self.graph.slots));
        let clean = clean || full;
        self.graph.nodes.push(Node { operation, shape, clean, depth });
        let node = self.graph.nodes.len() - 1;
        self.known.insert(key, node);
        node
    }

    fn depth_of(&self, operation: &Operation) -> u32 {
        let depth = |node: NodeId| self.graph.nodes[node].depth;
        match *operation {
            Operation::Input(_) | Operation::Constant(_) => 0,
            Operation::Negate(a) | Operation::Sum(a) => depth(a),
            Operation::Add(a, b) | Operation::Subtract(a, b) => depth(a).max(depth(b)),
            Operation::Multiply(a, b) => match self.graph.constant(b) {
                Some(constant) if constant.small_integer().is_some() => depth(a),
                _ => depth(a).max(depth(b)) + 1,
            },
            Operation::Rotate(a, _) => depth(a) + 1,
        }
    }

    fn constant(&mut self, constant: Constant) -> NodeId {
        let shape = constant.length.map_or(Shape::Scalar, Shape::Vector);
        let clean = constant.length.is_some();
        self.node(Operation::Constant(constant), shape, clean)
    }

    fn shape(&self, node: NodeId) -> Shape {
        self.graph.nodes[node].shape
    }

    /// The shape of two operands' combination; the lengths are known to agree.
    fn joined_shape(&self, a: NodeId, b: NodeId) -> Shape {
        match (self.shape(a), self.shape(b)) {
            (Shape::Scalar, other) => other,
            (vector, _) => vector,
        }
    }

    fn negate(&mut self, a: NodeId) -> NodeId {
        if let Some(constant) = self.graph.constant(a) {
            let negated = self.domain.negate(constant);
            return self.constant(negated);
        }
        match self.graph.nodes[a].operation {
            Operation::Negate(inner) => inner,
            Operation::Subtract(left, right) => self.subtract(right, left),
            _ => self.node(Operation::Negate(a), self.shape(a), self.graph.nodes[a].clean),
        }
    }

    fn add(&mut self, a: NodeId, b: NodeId) -> NodeId {
        let (a, b) = self.spread_pair(a, b);
        match (self.graph.constant(a), self.graph.constant(b)) {
            (Some(x), Some(y)) => {
                let sum = self.domain.add(x, y);
                return self.constant(sum);
            }
            (Some(_), None) => return self.add(b, a),
            (None, Some(y)) if y.is_zero() && self.joined_shape(a, b) == self.shape(a) => return a,
            _ => {}
        }
        if let Operation::Negate(inner) = self.graph.nodes[b].operation {
            return self.subtract(a, inner);
        }
        if let Operation::Negate(inner) = self.graph.nodes[a].operation
            && self.graph.constant(b).is_none()
        {
            return self.subtract(b, inner);
        }
        let clean = self.graph.nodes[a].clean && self.graph.nodes[b].clean;
        let shape = self.joined_shape(a, b);
        let (a, b) = if self.graph.constant(b).is_some() { (a, b) } else { (a.min(b), a.max(b)) };
        self.node(Operation::Add(a, b), shape, clean)
    }

    fn subtract(&mut self, a: NodeId, b: NodeId) -> NodeId {
        let (a, b) = self.spread_pair(a, b);
        if self.graph.constant(a).is_some() || self.graph.constant(b).is_some() {
            let negated = self.negate(b);
            return self.add(a, negated);
        }
        if a == b {
            let zero = self.domain.scalar(0);
            let zero = match self.shape(a) {
                Shape::Scalar => zero,
                Shape::Vector(length) => self.domain.filled(&zero, length),
            };
            return self.constant(zero);
        }
        if let Operation::Negate(inner) = self.graph.nodes[b].operation {
            return self.add(a, inner);
        }
        let clean = self.graph.nodes[a].clean && self.graph.nodes[b].clean;
        let shape = self.joined_shape(a, b);
        self.node(Operation::Subtract(a, b), shape, clean)
    }

    fn multiply(&mut self, a: NodeId, b: NodeId) -> NodeId {
        match (self.graph.constant(a), self.graph.constant(b)) {
            (Some(x), Some(y)) => {
                let product = self.domain.multiply(x, y);
                return self.constant(product);
            }
            (Some(_), None) => return self.multiply(b, a),
            (None, Some(y)) if y.is_one() => return a,
            (None, Some(y)) if y.is_zero() => return self.zero_like(a, b),
            (None, Some(y)) if y.length.is_none() && *y == self.domain.scalar(-1) => return self.negate(a),
            _ => {}
        }
        // Signs move outwards, so that (−x)·y and x·(−y) are one product.
        for (negated, other) in [(a, b), (b, a)] {
            if let Operation::Negate(inner) = self.graph.nodes[negated].operation {
                let product = self.multiply(inner, other);
                return self.negate(product);
            }
        }
        let clean = self.graph.nodes[a].clean || self.graph.nodes[b].clean;
        let shape = self.joined_shape(a, b);
        let (a, b) = if self.graph.constant(b).is_some() { (a, b) } else { (a.min(b), a.max(b)) };
        self.node(Operation::Multiply(a, b), shape, clean)
    }

    fn zero_like(&mut self, a: NodeId, b: NodeId) -> NodeId {
        let zero = self.domain.scalar(0);
        let zero = match self.joined_shape(a, b) {
            Shape::Scalar => zero,
            Shape::Vector(length) => self.domain.filled(&zero, length),
        };
        self.constant(zero)
    }

    /// `x^exponent` with `ceil(log2(exponent))` products in a row; shared parts are one node.
    fn power(&mut self, x: NodeId, exponent: u32) -> NodeId {
        if exponent == 1 {
            return x;
        }
        let (half, rest) = (self.power(x, exponent.div_ceil(2)), self.power(x, exponent / 2));
        self.multiply(half, rest)
    }

    /// The product of all, the shallowest factors first, which gives the least depth.
    fn product(&mut self, mut factors: Vec<NodeId>) -> NodeId {
        while let [.., _, _] = factors[..] {
            // Stable, so that equal factors meet and equal products are found.
            factors.sort_by_key(|&factor| {
                let node = &self.graph.nodes[factor];
                (std::cmp::Reverse(node.depth), self.graph.constant(factor).is_some(), factor)
            });
            let pair = (factors.pop(), factors.pop());
            if let (Some(a), Some(b)) = pair {
                factors.push(self.multiply(a, b));
            }
        }
        factors[0]
    }

    /// Where a scalar meets a vector with padding, the scalar as a vector with zero padding where that costs nothing.
    fn spread_pair(&mut self, a: NodeId, b: NodeId) -> (NodeId, NodeId) {
        match (self.shape(a), self.shape(b)) {
            (Shape::Scalar, Shape::Vector(length)) => (self.spread(a, length), b),
            (Shape::Vector(length), Shape::Scalar) => (a, self.spread(b, length)),
            _ => (a, b),
        }
    }

    /// A constant scalar, and one that is multiplied by a constant, with values at the vector's places only.
    fn spread(&mut self, scalar: NodeId, length: usize) -> NodeId {
        match self.graph.nodes[scalar].operation.clone() {
            Operation::Constant(constant) => {
                let filled = self.domain.filled(&constant, length);
                self.constant(filled)
            }
            _ if length.is_multiple_of(self.graph.slots) => scalar,
            Operation::Multiply(a, b) => match self.graph.constant(b).cloned() {
                Some(constant) if constant.small_integer().is_none() => {
                    let filled = self.domain.filled(&constant, length);
                    let filled = self.constant(filled);
                    self.multiply(a, filled)
                }
                _ => scalar,
            },
            Operation::Negate(inner) => {
                let spread = self.spread(inner, length);
                self.negate(spread)
            }
            _ => scalar,
        }
    }

    /// The sum of the `length` values of `a`; a scalar stands for so many of itself.
    ///
    /// Where the padding is not zero, this sums the parts whose padding is, and counts the scalars. Each part is summed
    /// once, operands first, so that neither depth nor sharing of parts matters.
    fn sum(&mut self, a: NodeId, length: usize) -> NodeId {
        let mut parts = BTreeSet::new();
        let mut open = vec![a];
        while let Some(part) = open.pop() {
            if parts.insert(part) && self.is_sum_of_parts(part) {
                open.extend(self.parts(part));
            }
        }
        let mut sums: HashMap<NodeId, NodeId> = HashMap::new();
        for part in parts {
            let sum = match self.graph.nodes[part].operation {
                Operation::Add(x, y) if self.is_sum_of_parts(part) => self.add(sums[&x], sums[&y]),
                Operation::Subtract(x, y) if self.is_sum_of_parts(part) => self.subtract(sums[&x], sums[&y]),
                Operation::Negate(x) if self.is_sum_of_parts(part) => self.negate(sums[&x]),
                _ => self.whole_sum(part, length),
            };
            sums.insert(part, sum);
        }
        sums[&a]
    }

    /// Whether the sum of a vector is that of its operands' sums, and must be, for the padding is not zero.
    fn is_sum_of_parts(&self, a: NodeId) -> bool {
        let node = &self.graph.nodes[a];
        let linear = matches!(node.operation, Operation::Add(..) | Operation::Subtract(..) | Operation::Negate(_));
        linear && node.shape != Shape::Scalar && !node.clean
    }

    fn parts(&self, a: NodeId) -> Vec<NodeId> {
        match self.graph.nodes[a].operation {
            Operation::Add(x, y) | Operation::Subtract(x, y) => vec![x, y],
            Operation::Negate(x) => vec![x],
            _ => Vec::new(),
        }
    }

    /// The sum of a node that is not a sum of parts.
    fn whole_sum(&mut self, a: NodeId, length: usize) -> NodeId {
        if let Some(constant) = self.graph.constant(a) {
            let sum = match constant.length {
                Some(_) => self.domain.sum(constant),
                None => self.domain.multiply(constant, &self.domain.scalar(length as i64)),
            };
            return self.constant(sum);
        }
        if self.shape(a) == Shape::Scalar {
            let count = self.constant(self.domain.scalar(length as i64));
            return self.multiply(a, count);
        }
        let masked = self.masked(a, length);
        self.node(Operation::Sum(masked), Shape::Scalar, false)
    }

    /// `a` with zero padding, at the cost of a product with ones and zeros.
    fn masked(&mut self, a: NodeId, length: usize) -> NodeId {
        if self.graph.nodes[a].clean {
            return a;
        }
        let ones = self.domain.filled(&self.domain.scalar(1), length);
        let ones = self.constant(ones);
        self.multiply(a, ones)
    }
}
