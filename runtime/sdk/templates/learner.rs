// mystage.rs -- learn.mystage: a perceptron in fixed memory, with its heaviest weights by name.
//
// To make it yours, change: PARAMS, Model, process (which predicts and then learns), query (the
// answer), snapshot, restore and merge (which need all of the model).
mod leat;
use leat::*;

const KEPT: usize = 64; // features by name

#[repr(C)]
struct Cfg {
    bits: i64,
}
unsafe impl Zeroed for Cfg {}

impl Cfg {
    fn weights(&self) -> usize {
        1 << self.bits
    }
}

static PARAMS: [Param; 1] =
    [param!(Cfg, bits).def(c"12").range(4.0, 28.0).doc(c"the table has 2^bits weights")];

#[repr(C)]
struct Model {
    weight: Memory<f32>, // their number is a power of two
    top: Top<KEPT>,
}
unsafe impl Zeroed for Model {}

/// Returns the index of a feature's weight.
fn slot(weight: &[f32], id: u64) -> usize {
    (id.wrapping_mul(0x9e3779b97f4a7c15) >> 32) as usize & (weight.len() - 1)
}

impl Model {
    fn margin(&self, b: &Batch, e: Example) -> f32 {
        let term = |(id, x): (u64, f32)| f64::from(self.weight[slot(&self.weight, id)]) * f64::from(x);
        b.features(e).map(term).sum::<f64>() as f32
    }
    /// w += y x, if the sign of w x is wrong
    fn update(&mut self, b: &Batch, e: Example, step: f32) {
        for (i, (id, x)) in b.entries(e).zip(b.features(e)) {
            let slot = slot(&self.weight, id);
            self.weight[slot] += step * x;
            self.top.offer(id, self.weight[slot].into(), b, i);
        }
    }
}

extern "C" fn negotiate(_: &Cfg, n: &mut Negotiation) -> Status {
    n.out().score = SCORE_DECISION; // its sign decides; its size has no meaning
    OK
}

extern "C" fn plan(cfg: &Cfg, _: *const Schema, _: *const Schema, p: &mut Plan) -> Status {
    p.state_bytes = cfg.weights() as u64 * 4;
    OK
}

extern "C" fn open(ctx: &Ctx<Cfg>, m: &mut Model) -> Status {
    attempt(|| {
        m.weight = ctx.alloc(ctx.cfg().weights())?;
        Ok(OK)
    })
}

fn learn(ctx: &Ctx<Cfg>, m: &mut Model, b: &mut Batch, e: Example) {
    let (y, weight) = (b.ex_label(e), b.ex_weight(e));
    let score = m.margin(b, e);
    b.set_score(e, score); // always before learning
    if y != 1.0 && y != -1.0 {
        let r = b.ex_record(e);
        ctx.reject(b, r, R_LABEL, format_args!("label {y} is not -1 or 1"));
    } else if weight > 0.0 && (score >= 0.0) != (y > 0.0) {
        m.update(b, e, y * weight);
    }
}

extern "C" fn process(ctx: &Ctx<Cfg>, m: &mut Model, b: &mut Batch) -> Status {
    attempt(|| {
        b.each_example(|b, e| {
            learn(ctx, m, b, e);
            Ok(OK)
        })
    })
}

extern "C" fn query(_: &Ctx<Cfg>, m: &mut Model, q: &Query, to: &mut Answer) -> Status {
    static COLUMN: [Text; 1] = [text(c"weight")];
    attempt(|| {
        to.column(&COLUMN)?;
        m.top.answer(q.k as usize, to)
    })
}

extern "C" fn snapshot(_: &Ctx<Cfg>, m: &mut Model, w: &mut Writer) -> Status {
    attempt(|| {
        w.array(c"weight", &m.weight)?;
        m.top.write(w)
    })
}

/// Reads and checks everything before the model changes.
fn read<'a>(m: &Model, r: &'a Reader) -> Result<(&'a [f32], TopRead<'a>), Status> {
    let weight: &[f32] = r.array(c"weight", m.weight.len())?;
    if !weight.iter().all(|w| w.is_finite()) {
        return Err(r.refuse(format_args!("weight is not finite")));
    }
    Ok((weight, m.top.read(r)?))
}

extern "C" fn restore(_: &Ctx<Cfg>, m: &mut Model, r: &Reader, _version: u32) -> Status {
    attempt(|| {
        let (weight, top) = read(m, r)?;
        m.weight.copy_from_slice(weight);
        m.top.take(top);
        Ok(OK)
    })
}

/// Adds another model: weights are sums over examples, so they add up.
extern "C" fn merge(_: &Ctx<Cfg>, m: &mut Model, r: &Reader, times: f64) -> Status {
    attempt(|| {
        let (other, top) = read(m, r)?;
        let sum = |mine: f32, w: f32| (f64::from(mine) + times * f64::from(w)) as f32;
        if !m.weight.iter().zip(other).all(|(mine, w)| sum(*mine, *w).is_finite()) {
            return Err(r.refuse(format_args!("weight would not be finite")));
        }
        for (mine, w) in m.weight.iter_mut().zip(other) {
            *mine = sum(*mine, *w);
        }
        let weight: &[f32] = &m.weight;
        m.top.merge(top, |id| weight[slot(weight, id)].into());
        Ok(OK)
    })
}

static ANSWERS: Learner<Cfg, Model> = Learner { query: Some(query), ..Learner::NONE };
static STATE: State<Cfg, Model> = State {
    version: 1,
    snapshot: Some(snapshot),
    restore: Some(restore),
    merge: Some(merge),
    ..State::NONE
};

static STAGE: Stage<Cfg, Model> = Stage {
    name: text(c"learn.mystage"),
    summary: text(c"a perceptron in fixed memory"),
    doc: text(
        c"Adds an example to the weights, or subtracts it, where the sign of its score is wrong.",
    ),
    example: text(c"leat.learn.mystage { bits = 12 }"),
    kind: LEARNER,
    caps: STATEFUL,
    needs: HAS_EXAMPLES | HAS_LABEL,
    makes: HAS_SCORE,
    negotiate: Some(negotiate),
    plan: Some(plan),
    open: Some(open),
    process: Some(process),
    learner: Some(&ANSWERS),
    state: Some(&STATE),
    ..Stage::with(&PARAMS)
};

plugin!(c"mystage", c"0.1", c"Apache-2.0", c"a perceptron", STAGE);
