--- Online Newton learners of several sizes and regularisations in parallel on one parse; rfd.sh runs
--- it for the tables and figures of the RFD paper.
---
---   leat run pipelines/papers/rfd.lua --set data=a9a.libsvm --set learners=rfd_son,full_on,adagrad \
---       --set m=5,10,20 --set alpha0=1e-4,1,100 --set holdout=22793 --summary s.json
---
--- data        libsvm file, also gz, bz2, xz, zst
--- learners    comma separated: rfd_son, fd_son, rp_son, oja_son, full_on, adagrad, …
--- m, alpha0   sizes and regularisations, comma separated. There is a learner for each combination of
---             those that it has, named "rfd_son,m=5,alpha0=1"
--- holdout     number of examples to learn from; the models then predict the others unchanged. By
---             default all are learned from
--- sketches    sizes of sketches to compare with the exact covariance of the first `features`
---             features, comma separated: CSV to standard output (leat plugins eval.directions)
--- seed        of random choices

local leat = require "leat"
local learners = require "leat.learners"
local args = leat.args

local sizes, alphas = leat.list(args.m or "20"), leat.list(args.alpha0 or "1")
local branches = {}
for _, name in ipairs(leat.list(args.learners or not args.sketches and "rfd_son" or "")) do
  local has = leat.parameters("learn." .. name) or {}
  for _, m in ipairs(has.m and sizes or { false }) do
    for _, alpha0 in ipairs(has.alpha0 and alphas or { false }) do
      local id = name .. (m and ",m=" .. m or "") .. (alpha0 and ",alpha0=" .. alpha0 or "")
      branches[#branches + 1] = {
        learners.new(name, { "loss" }, { id = id, m = m or nil, alpha0 = alpha0 or nil }),
        leat.sink.null {},
      }
    end
  end
end

if args.sketches then
  branches[#branches + 1] = { leat.eval.directions { m = args.sketches, features = args.features } }
end

return leat.pipeline "rfd" {
  leat.source.file { path = args.data or "-" },
  leat.parse.libsvm { positive = args.positive },
  args.holdout and leat.label.holdout { after = args.holdout } or {},
  leat.tee(branches),
  seed = args.seed,
  threads = 1, -- one at a time, so that none is timed while another has its core
}
