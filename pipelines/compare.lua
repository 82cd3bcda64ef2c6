--- Which items differ most in frequency between two streams?
---
--- Each attribute of a record becomes an example, labelled +1 in stream A and -1 in stream B, and is
--- counted in a fixed budget. The report shows the items that are most over- or under-represented in A
--- compared with B, and the ratio (share of A / share of B) with its bounds. The order of the records
--- does not matter: A may come before B.
---
--- Files of different lengths are read at paces that let them end together. That needs two known lengths:
--- with a pipe, or bzip2 of less than some 10 MB of text, one may end long before the other. This matters
--- only for awm and exact. Two topics are mixed batch by batch as they arrive.
---
---   leat compare today.csv yesterday.csv --attributes src,dst
---   leat compare out.pcap in.pcap.gz --format pcap
---   leat compare flows.csv.zst --attributes src,dst,dport --split 'proto == "udp"'
---   leat compare flights.csv.gz --attributes carrier,origin --before 2013-07-01

local leat = require "leat"
local inputs = require "leat.inputs"
local attributes = require "leat.attributes"
local conditions = require "leat.conditions"
local elements = require "leat.elements"
local logs = require "leat.logs"
local periods = require "leat.periods"
local sampled = require "leat.sampled"
local times = require "leat.times"
local args = leat.arguments {
  { "a", value = "FILES", operand = "one", help = "stream A: files, a pattern, or - (standard input), also compressed; or a topic" },
  { "b", value = "FILES", operand = "one", help = "stream B" },
  { "split", value = "CONDITION", help = "for one stream, the data: a condition that is true for the records of A" },
  { "attributes", value = "A,B", usual = "chosen from all of a file, as *; those of a log or of pcap", help = "the items to compare: columns (pcap: src,dst,dport,proto; "
    .. "zeek: id.orig_h,id.resp_h,id.resp_p,proto; access logs: method,path,agent; syslog: host,program)" },
  { "attribute", value = "COLUMN", help = "the same for one column" },
  { "amount", value = "COLUMN", help = "adds up this column by item, such as bytes: shares and ratios are those of its sum" },
  { "amount_unit", type = "number", usual = "0.001", help = "amounts are rounded to multiples of this, so that sums are exact" },
  { "cross", default = 1, help = "2: pairs of attributes as well; 3: triples as well" },
  { "format", value = "FORMAT", usual = "from the name of the file, or the first lines of A", help = "csv (with a header), json (an object a "
    .. "record), avro, protobuf, logfmt, pcap; or a log: " .. logs.names },
  { "capture", value = "FILTER", help = "pcap: packets to take, as in tcpdump: 'tcp and not port 22'" },
  { "learner", value = "LEARNER", default = "contrast", help = "contrast (counts, with bounds); awm (an AWM-Sketch, which learns weights from a "
    .. "mixed stream, as in the paper); paired_count_min (its baseline), or exact (a weight for every item)" },
  { "budget", value = "SIZE", usual = "auto: up to 1MB, with amount 4MB; 32KB for awm and paired_count_min", help = "most bytes of the model" },
  { "counts", default = false, help = "awm only: relative risk, support and count of each item, for half as many items" },
  { "min_count", type = "integer", usual = "20; 50 for evaluate", help = "leaves out items with fewer entries (with a learner that counts)" },
  { "sign", value = "both|positive", default = "both", help = "positive: only what is more frequent in A" },
  { "order", value = "ORDER", usual = "gain", help = "of contrast: gain (what tells the streams apart most, beside the rows above; the table ends where "
    .. "chance would tell as much); weight (the ratio, rows that may be luck last), risk, support or share (frequency in both, or in A); change (what makes up "
    .. "most of the difference between A and B, in records or in amounts)" },
  { "active", type = "integer", usual = "half the budget", help = "paired_count_min only: items stored by name" },
  { "k", default = 20, help = "items to show" },
  { "name_bytes", type = "integer", usual = "120", help = "names are cut after this many bytes, and end with …" },
  { "evaluate", default = false, help = "also counts everything exactly, and shows the share of the true deltoids that is among the heaviest" },
  { "retrieve", default = 2048, help = "with evaluate: number of the heaviest" },
  { "out", value = "table|jsonl|csv", usual = "table", help = "format of the report" },
  { "dead_letters", value = "FILE", help = "file for rejected records, with the reason" },
  { "seed", value = "N", help = "of random choices" },
  periods.arguments, inputs.arguments, elements.arguments,
}

if periods.is_asked() and args.a and args.b then -- two operands are one stream
  args.data, args.a, args.b = ("%s,%s"):format(args.a, args.b), nil, nil
end
local format = inputs.format_or_look(args.data or args.a) or args.pattern and "pattern" or "csv"
local given = args.budget ~= "auto" and args.budget or nil
local budget = given or "32KB"
local sign, name_bytes = args.sign, args.name_bytes
local of_log = not args.pattern and logs.of[format] and logs.of[format].attributes or nil
local of_packets = format == "pcap" and "src,dst,dport,proto" or nil
local named = args.attributes ~= "*" and args.attributes or args.attribute or of_packets or of_log and table.concat(of_log, ",")
local cross = args.cross
local words = (named or "") .. "," .. (args.split or "") .. (args.filter or "") .. (args.derive or "")
local networks = words:find("%l+%d") ~= nil -- such as src16
local evaluate = args.evaluate
local capture, split = args.capture, args.split
local mixed = args.brokers and args.topic or args.data
local counts, min_count, retrieve, active = args.counts, args.min_count, args.retrieve, args.active

local function check(condition, text)
  if not condition then error(text, 0) end
end

local function of_rows(from)
  return { inputs.records { data = from, topic = from }, inputs.rows(format ~= "pattern" and format or nil, { separator = elements.between(format) }) }
end

--- Functions that return the source and the parser of one stream, by format.
local read = {
  csv = of_rows,
  pattern = of_rows,
  pcap = function(path)
    return { leat.source.pcap { path = path, filter = capture }, leat.parse.packet { prefixes = networks }, conditions.records() }
  end,
}
local asked = periods.asked(mixed, format, format == "pcap" or args.brokers ~= nil)
for name in pairs(logs.of) do read[name] = of_rows end
for name in pairs(inputs.named) do read[name] = of_rows end
check(read[format], ("format is %q: give csv, json, otlp, avro, cbor, msgpack, protobuf, logfmt or pcap, or that of a log: %s%s")
  :format(format, logs.names, logs.meant(format)))
check(not args.brokers or format ~= "pcap", "format=pcap reads files, not topics")
check(format == "pcap" or not capture, "capture needs --set format=pcap: give a condition by filter")

if mixed then
  check(not args.a and not args.b, "give either a and b, or one stream and split")
  check(not asked or not split, "split and before or after are two ways to divide a stream: leave one out, or use --set filter")
  check(asked or split, "one stream needs split, a condition that is true for the records of A: --set split='proto == \"udp\"'; "
    .. "or a time, --set before=2024-05-17")
else
  check(not asked, "before and after divide one stream: --set data=FILE")
  check(not split, "split divides one stream, --set data=FILE: a and b are divided already")
  check(args.a and args.b, "give two streams, --set a=FILE --set b=FILE, or one, --set data=FILE, to split")
  local difference = format == "csv" and not args.brokers and sampled.difference(args.a, args.b)
  check(not difference, ("the headings of a and b differ: %s. Give files with the same columns"):format(difference))
end

--- Returns the items: the columns that are named, those of a log, or else columns chosen from the files.
local function items()
  if named or args.time_parts or args.lists then return { columns = named } end
  local known = format ~= "pattern" and format or nil
  return attributes.choose {
    data = not args.brokers and (args.data or args.a) or nil, other = not mixed and args.b or nil, format = known,
    without = split and conditions.columns(split) or { args.time }, with = conditions.derived(), question = asked and asked.question or { condition = split },
    alone = cross == 1,
  }
end
local chosen = items() -- may set a time

--- Returns one labelled stream, from two files or from one to split.
local function streams()
  if mixed then return { read[format](mixed), asked and asked.stage or conditions.label("split", split) } end
  return leat.merge {
    { read[format](args.a), leat.label.constant { value = 1 } },
    { read[format](args.b), leat.label.constant { value = -1 } },
  }
end

--- Returns the number of 4-byte cells, a power of two, that fit into a quarter of the budget: the width of the sketch.
local function quarter(size)
  local n, unit = size:match("^(%d+)([KM]?)i?B?$")
  local bytes = n and tonumber(n) * ({ [""] = 1, K = 1024, M = 1024 ^ 2 })[unit] or 0
  return bytes >= 64 and 1 << math.floor(math.log(bytes / 16, 2)) or nil
end

--- The bias is fixed to the ratio of the streams, so that a weight is a log ratio. The shared rate restrains rare
--- items, whose ratio is mostly chance, and leaves more of the budget to frequent items. Rate, penalty and the share of
--- the sketch were chosen on generated Zipf streams (tests/bench).
local learners = {
  contrast = function()
    return leat.learn.contrast {
      id = "model", budget = given or args.amount and "4MB" or nil, sign = sign, name_bytes = name_bytes,
      amount = args.amount, amount_unit = args.amount_unit,
    }
  end,
  awm = function()
    return leat.learn.awm {
      id = "model", budget = budget, width = quarter(budget),
      lambda = 3e-6, eta0 = 0.2, rates = "shared", bias = "prior", counts = counts, name_bytes = name_bytes,
    }
  end,
  paired_count_min = function()
    return leat.learn.paired_count_min { id = "model", budget = budget, active = active, name_bytes = name_bytes }
  end,
  exact = function()
    return leat.learn.logistic {
      id = "model", lambda = 1e-6, bias = "prior", rates = "newton", counts = true, name_bytes = name_bytes,
    }
  end,
}
local learner = args.learner
check(learners[learner], ("learner is %q: give contrast, awm, paired_count_min or exact"):format(learner))
check(not counts or learner == "awm", "counts needs --set learner=awm: the others count anyway")
check(not args.order or learner == "contrast", "order needs --set learner=contrast: the others have one order")
check(not active or learner == "paired_count_min", "active needs --set learner=paired_count_min")
local amount, order = args.amount, learner == "contrast" and (args.order or "gain") or nil
check(not amount or learner == "contrast", "amount needs --set learner=contrast: the others count records")
check(not amount or not evaluate, "amount cannot be evaluated: the evaluation counts records")
local counted = learner == "contrast" or learner == "exact"
local learned = learner == "awm" or learner == "exact" -- learners that depend on the order of records
local in_a, in_b = asked and asked.a or "in A", asked and asked.b or "in B"
local of_each = { "support_outliers=" .. in_a, "support_inliers=" .. in_b, "count" }
local by_weight = { "weight", "relative_risk", table.unpack(of_each) }
local explode = learner ~= "contrast" -- learns from each item alone; contrast counts those of a record
local columns_shown = {
  contrast = { "ratio", of_each[1], of_each[2], amount and "amount" or of_each[3], "luck" },
  awm = counts and by_weight or nil,
  paired_count_min = by_weight,
  exact = by_weight,
}
local title = ("Items whose share differs most (%s)"):format(asked and (learner == "contrast" and "ratio: share %s / share %s" or
  "weight > 0: more %s than %s"):format(in_a, in_b) or learner == "contrast" and "ratio: share of A / share of B" or "weight > 0: more of A")
if order == "change" then
  title = asked and ("What makes up the change: records %s, and %s"):format(in_a, in_b) or "What makes up the change from B to A"
  columns_shown.contrast = { "change", "share_of_change=of the change", table.unpack(columns_shown.contrast) }
end

local shown = leat.sink.top {
  k = args.k,
  min_count = counted and (min_count or 20) or nil,
  sign = sign,
  order = order,
  min_odds_gain = learner == "contrast" and cross > 1 and 1 or nil, -- a conjunction must say more than its parts
  columns = (args.out or "table") == "table" and columns_shown[learner] or nil,
  format = args.out,
  noun = explode and "items" or "records",
  title = title .. (amount and ", in sums of " .. amount or ""),
}

return leat.pipeline "compare" {
  streams(),
  elements.features({
    columns = times.and_parts(chosen.columns), edges = chosen.edges, levels = chosen.levels, missing = chosen.missing, cross = cross,
    cross_edges = chosen.cross_edges, explode = explode, numeric = "category",
  }, format),
  learners[learner](),
  shown,
  evaluate and leat.eval.deltoids {
    k = retrieve, min_count = min_count or 50, name_bytes = name_bytes, format = args.out,
  } or {},
  asked = asked and ("A: %s; B: %s"):format(in_a, in_b) or mixed and "B: the other records; A: " .. split or ("B: %s; A: %s"):format(args.b, args.a),
  counted = asked and asked.counted or mixed and ("{positives} are A: %s; B is the others"):format(split)
    or ("{positives} are A: %s; B is %s"):format(args.a, args.b),
  answered = amount
      and ("{feature} has {support_outliers %%} of the sum of %s %s and {support_inliers %%} of that %s"):format(amount, in_a, in_b)
    or learner == "contrast" and ("{feature} has a share of {support_outliers %%} %s and of {support_inliers %%} %s"):format(in_a, in_b)
    or nil,
  progress_table = false,
  seed = args.seed,
  dead_letters = args.dead_letters,
  batch_rows = learned and 16 or 64, -- batches of the two streams alternate, and short batches mix the streams better
}
