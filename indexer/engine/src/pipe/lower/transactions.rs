//! `transaction` directly after the filter: events are read in their order, and their values are compared by codes that
//! all segments share.

use std::sync::Arc;

use super::super::intern::Pairs;
use super::super::run::{Run, Scope};
use super::super::source::{Piece, merged_rows};
use super::super::stages::transaction::{One, TransactionStage};
use super::super::table::Table;
use super::percentiles::key;
use super::ranked::bytes_of_values;
use super::{GeneralPathReason, kinds};
use crate::aggregate::{Coded, GlobalValues};
use base::FieldKind;
use base::error::{ErrorKind, Result};
use base::limits::CANCEL_ROWS;
use ingest::NO_TIME;
use store::{EventKeys, Levels, Snapshot, Times};

/// Whether transactions can be put together by codes; if not, why.
pub fn can_code(stage: &TransactionStage, snapshot: &Snapshot) -> std::result::Result<(), GeneralPathReason> {
    if stage.starts_with.is_some() || stage.ends_with.is_some() {
        return Err("each event is tested for being the first or the last one");
    }
    // Codes do not separate types, and of equal decimals the first one is shown.
    let is_plain = |field: &str| {
        let mut kinds = kinds(field, snapshot);
        kinds.next().is_some_and(|first| first != FieldKind::Float && kinds.all(|kind| kind == first))
    };
    if stage.by.iter().all(|field| is_plain(field)) {
        Ok(())
    } else {
        Err("a field is not a plain field of one type")
    }
}

/// CodedTransactions by the codes of their fields.
pub struct CodedTransactions<'a> {
    stage: TransactionStage,
    /// What the codes of each field mean.
    values: Vec<GlobalValues>,
    /// The groups of the first two codes, then of those and the third, and so on.
    pairs: Vec<Pairs>,
    /// The last transaction of each group.
    open: Vec<Option<One>>,
    closed: Vec<(u32, One)>,
    begun: u64,
    without: u64,
    /// What is charged for groups and transactions, and for values.
    bytes: usize,
    bytes_of_values: usize,
    run: &'a Run<'a>,
}

/// What is read of a piece.
struct PieceColumns<'a> {
    piece: &'a Piece,
    times: Arc<Times>,
    levels: Levels,
    codes: Vec<Option<Coded>>,
}

impl<'a> CodedTransactions<'a> {
    /// Nothing where the values of the fields take more memory than there is.
    pub fn new(
        stage: TransactionStage,
        (scope, run): (Scope<'_>, &'a Run<'a>),
    ) -> Result<Option<CodedTransactions<'a>>> {
        let sizes = stage.by.iter().map(|field| bytes_of_values(field, scope, run));
        let bytes_of_values = sizes.sum::<Result<usize>>()?;
        if bytes_of_values > run.budget.left() {
            return Ok(None);
        }
        let (case, snapshot) = (scope.case, scope.snapshot);
        let values = stage.by.iter().map(|field| GlobalValues::load(case, snapshot, field, &run.cancel));
        let values = match values.collect::<Result<Vec<_>>>() {
            Err(error) if error.kind() == ErrorKind::Limit => return Ok(None),
            values => values?,
        };
        run.budget.take("transaction", bytes_of_values)?;
        Ok(Some(CodedTransactions {
            pairs: (1..values.len()).map(|_| Pairs::default()).collect(),
            stage,
            values,
            open: Vec::new(),
            closed: Vec::new(),
            begun: 0,
            without: 0,
            bytes: 0,
            bytes_of_values,
            run,
        }))
    }

    /// Takes the rows of pieces whose times overlap, or of one.
    pub fn add(&mut self, cluster: &[Piece]) -> Result<()> {
        let columns = cluster.iter().map(|piece| self.columns(piece)).collect::<Result<Vec<_>>>()?;
        if let [columns] = columns.as_slice() {
            for at in 0..columns.piece.part.len() {
                self.take(columns, at)?;
            }
        } else {
            let keys = cluster.iter().map(|piece| piece.part.segment.event_keys());
            let keys = keys.collect::<Result<Vec<EventKeys>>>()?;
            for (piece, at) in merged_rows(cluster, &keys) {
                self.take(&columns[piece], at)?;
            }
        }
        self.charge()
    }

    fn columns<'p>(&self, piece: &'p Piece) -> Result<PieceColumns<'p>> {
        let (times, levels) = (piece.part.segment.times()?, piece.part.segment.levels()?);
        let codes = self.values.iter().map(|values| values.segments[piece.segment as usize].clone());
        Ok(PieceColumns { piece, times, levels, codes: codes.collect() })
    }

    fn take(&mut self, columns: &PieceColumns<'_>, at: usize) -> Result<()> {
        if at.is_multiple_of(CANCEL_ROWS) {
            self.run.check()?;
            self.charge()?;
        }
        let row = columns.piece.part.row(at);
        let time = columns.times.get(row);
        let group = if time == NO_TIME { None } else { self.group(columns, row) };
        let Some(group) = group else {
            self.without += 1;
            return Ok(());
        };
        if self.open.len() <= group as usize {
            self.open.resize(group as usize + 1, None);
        }
        let open = &mut self.open[group as usize];
        if let Some(one) = open.take_if(|one| self.stage.ends_before(one, time)) {
            self.closed.push((group, one));
        }
        let one = open.get_or_insert_with(|| {
            self.begun += 1;
            One::new(time, self.begun)
        });
        one.add(time, columns.levels.get(row));
        Ok(())
    }

    /// The group of a row; nothing where a value is missing.
    fn group(&mut self, columns: &PieceColumns<'_>, row: usize) -> Option<u32> {
        let mut group = 0;
        for (place, coded) in columns.codes.iter().enumerate() {
            let coded = coded.as_ref()?;
            let code = coded.shared[coded.column.codes.get(row) as usize];
            if code == 0 {
                return None;
            }
            group = match place.checked_sub(1) {
                None => code,
                Some(pair) => self.pairs[pair].id(group, code),
            };
        }
        Some(group)
    }

    /// The code of each field of a group.
    fn codes(&self, mut group: u32) -> Vec<u32> {
        let mut codes = vec![0; self.values.len()];
        for (place, pairs) in self.pairs.iter().enumerate().rev() {
            (group, codes[place + 1]) = pairs.get(group);
        }
        if let Some(first) = codes.first_mut() {
            *first = group;
        }
        codes
    }

    fn charge(&mut self) -> Result<()> {
        let pairs = self.pairs.iter().map(Pairs::bytes).sum::<usize>();
        let bytes =
            pairs + self.open.len() * size_of::<Option<One>>() + self.closed.len() * size_of::<(u32, One)>();
        let more = bytes - self.bytes;
        self.bytes = bytes;
        self.run.budget.take("transaction", more)
    }

    pub fn finish(mut self) -> Result<Table> {
        let mut all = std::mem::take(&mut self.closed);
        let open = std::mem::take(&mut self.open);
        all.extend((0..).zip(open).filter_map(|(group, one)| Some((group, one?))));
        let codes: Vec<Vec<u32>> = all.iter().map(|(group, _)| self.codes(*group)).collect();
        let mut keys = vec![Vec::new(); all.len()];
        for (place, (field, values)) in self.stage.by.iter().zip(&self.values).enumerate() {
            self.run.check()?;
            let values = values.values(codes.iter().map(|codes| codes[place]));
            for (cells, value) in keys.iter_mut().zip(values) {
                cells.extend(value.map(|value| key(field, &value)));
            }
        }
        let all = keys.into_iter().zip(all).map(|(cells, (_, one))| (cells, one)).collect();
        let table = self.stage.table(all, self.without, self.run)?;
        self.run.budget.give_back(self.bytes + self.bytes_of_values);
        Ok(table)
    }
}
