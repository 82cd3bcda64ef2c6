--- leat.predict: the source of `leat predict`. The program puts the stages of a saved state behind it (frozen.h).

local leat = require "leat"
local inputs = require "leat.inputs"
local streams = require "leat.streams"
local args = leat.args

args.topic = streams.take_address(args.data) or args.topic

return leat.pipeline "predict" {
  inputs.records(),
  seed = args.seed,
  threads = args.threads,
  max_reject_ratio = 1,
  progress_table = false,
}
