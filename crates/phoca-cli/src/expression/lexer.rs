//! Text to tokens.

use super::error::ExpressionError;

/// A token and where it starts, in bytes.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Token<'a> {
    pub(super) kind: TokenKind<'a>,
    pub(super) position: usize,
}

/// What a token is.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum TokenKind<'a> {
    Number(&'a str),
    Name(&'a str),
    /// One of `+ - * ^ ( ) [ ] , ; =`.
    Symbol(char),
    End,
}

impl TokenKind<'_> {
    /// The token as an error message names it.
    pub(super) fn describe(self) -> String {
        match self {
            Self::Number(text) | Self::Name(text) => format!("`{text}`"),
            Self::Symbol(symbol) => format!("`{symbol}`"),
            Self::End => "the end".to_string(),
        }
    }
}

/// All tokens of `text`, with [`TokenKind::End`] last. `#` starts a comment that ends with the line.
pub(super) fn tokens(text: &str) -> Result<Vec<Token<'_>>, ExpressionError> {
    let mut tokens = Vec::new();
    let mut position = 0;
    while let Some(first) = text[position..].chars().next() {
        let rest = &text[position..];
        let (kind, length) = match first {
            c if c.is_whitespace() => (None, c.len_utf8()),
            '#' => (None, rest.find('\n').unwrap_or(rest.len())),
            '0'..='9' | '.' => number(rest, position)?,
            c if is_name_start(c) => name(rest),
            '+' | '-' | '*' | '^' | '(' | ')' | '[' | ']' | ',' | ';' | '=' => (Some(TokenKind::Symbol(first)), 1),
            // What people paste from papers.
            '−' => (Some(TokenKind::Symbol('-')), first.len_utf8()),
            '·' | '×' => (Some(TokenKind::Symbol('*')), first.len_utf8()),
            '/' => {
                return Err(syntax(
                    position,
                    "there is no division; multiply by the inverse instead, such as `x * 0.5`",
                ));
            }
            other => return Err(syntax(position, &format!("`{other}` is not part of any expression"))),
        };
        tokens.extend(kind.map(|kind| Token { kind, position }));
        position += length;
    }
    let end = Token { kind: TokenKind::End, position };
    tokens.push(end);
    Ok(tokens)
}

/// Whether `text` can name an input.
pub fn is_name(text: &str) -> bool {
    text.starts_with(is_name_start) && text.chars().all(is_name_part)
}

fn syntax(position: usize, cause: &str) -> ExpressionError {
    ExpressionError::Syntax { position, cause: cause.to_string() }
}

/// `text` with what cannot be in a name replaced by `_`.
pub fn to_name(text: &str) -> String {
    text.chars().map(|c| if is_name_part(c) { c } else { '_' }).collect()
}

fn is_name_start(c: char) -> bool {
    c.is_alphabetic() || c == '_'
}

fn is_name_part(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

/// A name, perhaps with a dot and a column: `table.column`.
fn name(text: &str) -> (Option<TokenKind<'_>>, usize) {
    let part = |from: usize| text[from..].find(|c| !is_name_part(c)).map_or(text.len(), |length| from + length);
    let mut end = part(0);
    if text[end..].starts_with('.') && text[end + 1..].starts_with(is_name_part) {
        end = part(end + 1);
    }
    (Some(TokenKind::Name(&text[..end])), end)
}

/// Digits, a fraction and an exponent; without a sign.
fn number(text: &str, position: usize) -> Result<(Option<TokenKind<'_>>, usize), ExpressionError> {
    let digits = |from: usize| from + text[from..].bytes().take_while(u8::is_ascii_digit).count();
    let whole = digits(0);
    let mut end = whole;
    let mut fraction = 0;
    if text[end..].starts_with('.') {
        end = digits(whole + 1);
        fraction = end - whole - 1;
    }
    if whole + fraction == 0 {
        return Err(syntax(position, "a number needs a digit"));
    }
    if text[end..].starts_with(['e', 'E']) {
        let sign = usize::from(text[end + 1..].starts_with(['+', '-']));
        let exponent_end = digits(end + 1 + sign);
        if exponent_end == end + 1 + sign {
            return Err(syntax(position + end, "the exponent of a number needs a digit, such as `1e-3`"));
        }
        end = exponent_end;
    }
    if text[end..].starts_with(is_name_part) {
        return Err(syntax(position + end, "a number ends here and a name starts; write `*` between them"));
    }
    Ok((Some(TokenKind::Number(&text[..end])), end))
}
