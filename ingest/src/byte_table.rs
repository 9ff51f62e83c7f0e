//! A set of bytes as a table, for loops over text: most bytes are passed over without being compared.

pub(crate) struct ByteTable([bool; 256]);

impl ByteTable {
    pub(crate) const fn new(bytes: &[u8]) -> ByteTable {
        let mut table = [false; 256];
        let mut at = 0;
        while at < bytes.len() {
            table[bytes[at] as usize] = true;
            at += 1;
        }
        ByteTable(table)
    }

    /// ASCII letters and digits, and these.
    pub(crate) const fn alphanumeric_and(bytes: &[u8]) -> ByteTable {
        let mut table = ByteTable::new(bytes);
        let mut byte = 0;
        while byte < table.0.len() {
            table.0[byte] |= (byte as u8).is_ascii_alphanumeric();
            byte += 1;
        }
        table
    }

    #[inline]
    pub(crate) const fn contains(&self, byte: u8) -> bool {
        self.0[byte as usize]
    }
}
