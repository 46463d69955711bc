//! The slot of a key in a cluster.

use crc16::{State, XMODEM};

/// How many there are.
pub(in crate::server::embedded) const SLOTS: u16 = 16_384;

/// CRC16 of the key, or of what stands between its first braces when that is not empty: keys that share it share a slot.
pub(in crate::server::embedded) fn slot(key: &[u8]) -> u16 {
    State::<XMODEM>::calculate(tag(key).unwrap_or(key)) % SLOTS
}

fn tag(key: &[u8]) -> Option<&[u8]> {
    let open = key.iter().position(|byte| *byte == b'{')?;
    let rest = key.get(open + 1..)?;
    let close = rest.iter().position(|byte| *byte == b'}')?;
    rest.get(..close).filter(|tag| !tag.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_tag_decides_for_the_whole_key() {
        assert_eq!(slot(b"123456789"), 12_739);
        assert_eq!(slot(b"lock:{product:1}"), slot(b"product:1"));
        assert_eq!(slot(b"{a}{b}"), slot(b"a"));
        assert_ne!(slot(b"{}b"), slot(b"b"), "empty braces are no tag");
    }
}
