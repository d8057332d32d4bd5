//! What the workgroups of one dispatch send each other: those that hold a panel together (`lu/step_crew.wgsl`), or one that factors a
//! block and those beside it (`lu/diagonal_and_borders.wgsl`).

/// Two tables of words behind the status, in turns: one is empty, that is zero, when a dispatch begins, and the dispatch empties the
/// other.
#[derive(Debug)]
pub(super) struct Letters {
    /// Words of a table.
    most: usize,
    turns: usize,
    /// The words of the last turn.
    filled: usize,
}

/// Where the words of a dispatch begin, and those of the one before, and how many those are.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Turn {
    pub(super) at: usize,
    pub(super) former: usize,
    pub(super) former_words: usize,
}

impl Letters {
    /// Before anything was sent, in tables of `most` words.
    pub(super) fn new(most: usize) -> Self {
        Self {
            most,
            turns: 0,
            filled: 0,
        }
    }

    /// For the next dispatch, which must be launched, and may send `words` words.
    pub(super) fn next(&mut self, words: usize) -> Turn {
        debug_assert!(words <= self.most, "{words} words in a table of {}", self.most);
        self.turns += 1;
        let table = |turn: usize| 1 + turn % 2 * self.most;
        let turn = Turn {
            at: table(self.turns),
            former: table(self.turns + 1),
            former_words: self.filled,
        };
        self.filled = words;
        turn
    }
}

#[cfg(test)]
mod tests {
    use super::Letters;

    #[test]
    fn each_table_is_emptied_before_it_is_used_again() {
        let mut letters = Letters::new(100);
        let mut filled = [0; 2];
        for words in [40, 0, 100, 7, 7, 90, 1] {
            let turn = letters.next(words);
            let [now, former] = [turn.at, turn.former].map(|at| (at - 1) / 100);
            assert_eq!([turn.at % 100, turn.former % 100], [1, 1], "behind the status");
            assert_ne!(now, former);
            assert_eq!(filled[now], 0, "empty");
            filled[now] = words;
            assert_eq!(filled[former], turn.former_words, "all of them");
            filled[former] = 0;
        }
    }
}
