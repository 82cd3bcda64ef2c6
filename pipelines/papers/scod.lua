--- Compares sketches of the product of two sparse matrices with the product, several methods and sizes on
--- one parse; scod.sh runs it for the figures of the SCOD paper.
---
---   leat run pipelines/papers/scod.lua --set data=pairs.svm --set below=1001 --set methods=scod,cod \
---       --set sizes=20,50,100,200 --set seed=1
---
--- data      libsvm file of column pairs, also gz, bz2, xz, zst; "-" is standard input
--- below     features with smaller ids are on the left
--- methods   comma separated: scod, cod, fd_amm, sfd_amm, columns, projection, hashing
--- sizes     columns of the sketches, comma separated
--- k         singular vectors of the projection error
--- failure   0 as in the paper's experiments: factorisations are not verified
--- form      of scod: leat or paper
--- seed      of random choices
---
--- CSV on standard output: method, size, pairs, left, right, error, projection, bound, theorem, seconds.

local leat = require "leat"
local args = leat.args

return leat.pipeline "scod" {
  leat.source.file { path = args.data or "-" },
  leat.parse.libsvm {},
  leat.feature.sides { below = args.below },
  leat.eval.product {
    methods = args.methods or "scod,cod",
    sizes = args.sizes or "20,50,100,200",
    k = args.k or 10,
    failure = args.failure or 0,
    form = args.form,
    seed = args.seed,
    time = true,
  },
  threads = 1, -- so no other stage uses the core while a sketch is timed
}
