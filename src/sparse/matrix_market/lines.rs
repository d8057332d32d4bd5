//! A text line by line, each bounded: a gigabyte without a newline is an error, not an allocation.

use std::io::BufRead;

use crate::{Error, Result};

/// The standard says 1024 bytes; no real file comes near this.
pub(super) const LONGEST_LINE: usize = 64 * 1024;

/// The lines of a reader, numbered from 1.
#[derive(Debug)]
pub(super) struct Lines<R> {
    reader: R,
    current: Vec<u8>,
    number: usize,
}

/// One line without its end.
#[derive(Debug, Clone, Copy)]
pub(super) struct Line<'a> {
    pub(super) number: usize,
    pub(super) bytes: &'a [u8],
}

impl<R: BufRead> Lines<R> {
    pub(super) fn new(reader: R) -> Self {
        Self {
            reader,
            current: Vec::new(),
            number: 0,
        }
    }

    /// The next line, whatever it holds.
    pub(super) fn any(&mut self) -> Result<Option<Line<'_>>> {
        Ok(if self.advance()? { Some(self.line()) } else { None })
    }

    /// The next line that is neither blank nor a comment; comments are shown to `comment`, without their first `%`.
    pub(super) fn data(&mut self, mut comment: impl FnMut(&[u8])) -> Result<Option<Line<'_>>> {
        while self.advance()? {
            let text = trimmed(&self.current);
            if let Some(text) = text.strip_prefix(b"%") {
                comment(text);
            } else if !text.is_empty() {
                return Ok(Some(self.line()));
            }
        }
        Ok(None)
    }

    /// An error about the line that was read last, or line 1 of an empty text.
    pub(super) fn error(&self, reason: String) -> Error {
        Error::Parse {
            line: self.number.max(1),
            reason,
        }
    }

    fn line(&self) -> Line<'_> {
        Line {
            number: self.number,
            bytes: &self.current,
        }
    }

    /// Reads one line into `current`; false at the end.
    fn advance(&mut self) -> Result<bool> {
        self.current.clear();
        let mut begun = false;
        loop {
            let available = match self.reader.fill_buf() {
                Ok(available) => available,
                Err(error) if error.kind() == std::io::ErrorKind::Interrupted => continue,
                Err(error) => {
                    return Err(Error::Parse {
                        line: self.number + 1,
                        reason: format!("cannot be read: {error}"),
                    });
                }
            };
            if available.is_empty() {
                return Ok(begun);
            }
            if !begun {
                begun = true;
                self.number += 1;
            }
            let end = available.iter().position(|&byte| byte == b'\n');
            let text = &available[..end.unwrap_or(available.len())];
            if self.current.len() + text.len() > LONGEST_LINE {
                return Err(self.error(format!("the line is longer than {LONGEST_LINE} bytes")));
            }
            self.current.extend_from_slice(text);
            let read = text.len() + usize::from(end.is_some());
            self.reader.consume(read);
            if end.is_some() {
                return Ok(true);
            }
        }
    }
}

impl Line<'_> {
    /// An error about this line.
    pub(super) fn error(&self, reason: String) -> Error {
        Error::Parse {
            line: self.number,
            reason,
        }
    }
}

/// The words of a line, up to a comment.
#[derive(Debug, Clone)]
pub(super) struct Words<'a> {
    rest: &'a [u8],
}

/// The words of a line, up to a comment.
pub(super) fn words(line: &[u8]) -> Words<'_> {
    Words { rest: line }
}

impl<'a> Iterator for Words<'a> {
    type Item = &'a [u8];

    fn next(&mut self) -> Option<&'a [u8]> {
        let start = self.rest.iter().position(|&byte| !is_blank(byte))?;
        let rest = &self.rest[start..];
        let (word, rest) = rest.split_at(rest.iter().position(|&byte| is_blank(byte)).unwrap_or(rest.len()));
        self.rest = rest;
        if word[0] == b'%' {
            self.rest = &[];
            return None;
        }
        Some(word)
    }
}

/// `u8::is_ascii_whitespace` leaves out the vertical tab.
pub(super) fn is_blank(byte: u8) -> bool {
    byte.is_ascii_whitespace() || byte == 0x0b
}

/// A text without blanks around it.
pub(super) fn trimmed(text: &[u8]) -> &[u8] {
    let begin = text.iter().position(|&byte| !is_blank(byte)).unwrap_or(text.len());
    let end = text
        .iter()
        .rposition(|&byte| !is_blank(byte))
        .map_or(begin, |last| last + 1);
    &text[begin..end]
}

/// The start of a text of unknown content, fit for a message.
pub(super) fn quote(text: &[u8]) -> String {
    const SHOWN: usize = 60;
    let shown = String::from_utf8_lossy(&text[..text.len().min(SHOWN)]);
    let more = if text.len() > SHOWN { "…" } else { "" };
    format!("\"{}{more}\"", shown.trim().escape_debug())
}
