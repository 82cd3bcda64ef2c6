--- Runs online Newton learners of several sizes and regularisations in parallel on one parse; rfd.sh runs
--- it for the tables and figures of the RFD paper.
---
---   leat run pipelines/papers/rfd.lua --set data=a9a.libsvm --set learners=rfd_son,full_on,adagrad \
---       --set m=5,10,20 --set alpha0=1e-4,1,100 --set holdout=22793 --summary s.json
---
--- data        libsvm file, also gz, bz2, xz, zst
--- learners    comma separated: rfd_son, fd_son, rp_son, oja_son, full_on, adagrad, …; paper.rfd_son and
---             paper.fd_son are in the form of the paper
--- m, alpha0   sizes and regularisations, comma separated; "default" is the learner's own, and 0 is for learners
---             that take it. Each combination makes a learner, named "rfd_son,m=5,alpha0=1"
--- holdout     number of examples to learn; the models then predict the others unchanged. By default
---             all are learned
--- sketches    sizes of sketches to compare with the exact covariance of the first `features`
---             features, comma separated: CSV to standard output (leat plugins eval.directions)
--- seed        of random choices

local leat = require "leat"
local learners = require "leat.learners"
local args = leat.args

local forms = {
  rfd_son = { floor = 0, warm = 0, shrink = "before", eta = 1 },
  fd_son = { shrink = "before", eta = 1 },
}

-- Returns the parameters of one learner; nil if it does not take this alpha0.
local function parameters(name, form, m, alpha0)
  if alpha0 == "0" and name ~= "rfd_son" then return nil end
  local id = form .. name .. (m and ",m=" .. m or "") .. (alpha0 and ",alpha0=" .. alpha0 or "")
  local more = { id = id, m = m or nil, alpha0 = alpha0 ~= "default" and alpha0 or nil }
  for key, value in pairs(form ~= "" and forms[name] or {}) do more[key] = value end
  return more
end

local sizes, alphas = leat.list(args.m or "20"), leat.list(args.alpha0 or "1")
local branches = {}
for _, full in ipairs(leat.list(args.learners or not args.sketches and "rfd_son" or "")) do
  local form, name = full:match "^(paper%.)(.*)$"
  form, name = form or "", name or full
  local has = leat.parameters("learn." .. name) or {}
  for _, m in ipairs(has.m and sizes or { false }) do
    for _, alpha0 in ipairs(has.alpha0 and alphas or { false }) do
      local more = parameters(name, form, m, alpha0)
      if more then
        branches[#branches + 1] = { learners.new(name, { "loss" }, more), leat.sink.null {} }
      end
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
  threads = 1, -- plus one thread for each learner; to measure time, run one learner alone
}
