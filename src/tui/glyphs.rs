//! The characters the screen is drawn with, in Unicode and in plain ASCII.

/// A set of characters.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Glyphs {
    Unicode,
    Ascii,
}

/// A sign on a lane, by what it means.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Glyph {
    #[default]
    Blank,
    /// The lock key does not exist.
    Absent,
    Letter(char),
    /// A key without an expiry.
    Endless,
    /// A query of the lock's owner.
    Owned,
    /// A query without the lock.
    Unowned,
    Waiting,
    /// Between two commands.
    Busy,
    Paused,
    Miss,
    Hit,
    Acquired,
    Wrote,
    Renewed,
    Released,
    Refused,
    Cut,
    Crashed,
    Hidden,
    Fold,
    /// A height from 1 to 8.
    Level(u8),
    Digit(u8),
}

impl Glyphs {
    pub fn sign(self, glyph: Glyph) -> char {
        let (unicode, ascii) = match glyph {
            Glyph::Blank => (' ', ' '),
            Glyph::Absent => ('·', '.'),
            Glyph::Letter(letter) => (letter, letter),
            Glyph::Endless => ('∞', '8'),
            Glyph::Owned => ('▓', '#'),
            Glyph::Unowned => ('▒', '!'),
            Glyph::Waiting => ('░', '.'),
            Glyph::Busy => ('─', '-'),
            Glyph::Paused => ('‖', '='),
            Glyph::Miss => ('m', 'm'),
            Glyph::Hit => ('h', 'h'),
            Glyph::Acquired => ('├', '['),
            Glyph::Wrote => ('W', 'W'),
            Glyph::Renewed => ('R', 'R'),
            Glyph::Released => ('D', 'D'),
            Glyph::Refused => ('0', '0'),
            Glyph::Cut => ('/', '/'),
            Glyph::Crashed => ('x', 'X'),
            Glyph::Hidden => ('?', '?'),
            Glyph::Fold => ('⋯', '~'),
            Glyph::Level(level) => (
                ['▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'][usize::from(level.clamp(1, 8)) - 1],
                char::from(b'0' + level.clamp(1, 8)),
            ),
            Glyph::Digit(digit) => (char::from(b'0' + digit.min(9)), char::from(b'0' + digit.min(9))),
        };
        if self == Self::Unicode { unicode } else { ascii }
    }

    /// Picks one of two texts.
    pub fn pick(self, unicode: &'static str, ascii: &'static str) -> &'static str {
        if self == Self::Unicode { unicode } else { ascii }
    }

    /// Replaces what an ASCII terminal cannot show in a text.
    pub fn plain(self, text: String) -> String {
        if self == Self::Unicode || text.is_ascii() {
            return text;
        }
        let ascii = |c: char| match c {
            '→' => "->".to_owned(),
            '←' => "<-".to_owned(),
            '…' => "..".to_owned(),
            '·' | '•' => ".".to_owned(),
            '✓' => "v".to_owned(),
            '✗' => "x".to_owned(),
            '“' | '”' => "\"".to_owned(),
            '÷' => "/".to_owned(),
            '▸' => ">".to_owned(),
            '↓' => "Down".to_owned(),
            '↑' => "Up".to_owned(),
            c if c.is_ascii() => c.to_string(),
            _ => "?".to_owned(),
        };
        text.chars().map(ascii).collect()
    }
}
