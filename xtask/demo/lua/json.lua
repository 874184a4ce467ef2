-- Writes and reads JSON: string buffers, patterns, recursion over tables.
local escapes = { ['"'] = '\\"', ["\\"] = "\\\\", ["\n"] = "\\n", ["\t"] = "\\t" }

local function encode(value, out)
  local kind = type(value)
  if kind == "table" then
    if #value > 0 then
      out[#out + 1] = "["
      for i = 1, #value do
        if i > 1 then out[#out + 1] = "," end
        encode(value[i], out)
      end
      out[#out + 1] = "]"
    else
      local keys = {}
      for key in pairs(value) do keys[#keys + 1] = key end
      table.sort(keys)
      out[#out + 1] = "{"
      for i, key in ipairs(keys) do
        if i > 1 then out[#out + 1] = "," end
        encode(key, out)
        out[#out + 1] = ":"
        encode(value[key], out)
      end
      out[#out + 1] = "}"
    end
  elseif kind == "string" then
    out[#out + 1] = '"' .. value:gsub('[%c"\\]', escapes) .. '"'
  else
    out[#out + 1] = tostring(value)
  end
  return out
end

local unescapes = { ['"'] = '"', ["\\"] = "\\", n = "\n", t = "\t" }
local words = { ["true"] = true, ["false"] = false }
local decode

local function skip(text, at) return text:find("[^ \n\t]", at) end

local function list(text, at)
  local result = {}
  at = skip(text, at + 1)
  while text:byte(at) ~= 93 do
    result[#result + 1], at = decode(text, at)
    at = skip(text, at)
    if text:byte(at) == 44 then at = skip(text, at + 1) end
  end
  return result, at + 1
end

local function object(text, at)
  local result = {}
  at = skip(text, at + 1)
  while text:byte(at) ~= 125 do
    local key
    key, at = decode(text, at)
    at = skip(text, skip(text, at) + 1)
    result[key], at = decode(text, at)
    at = skip(text, at)
    if text:byte(at) == 44 then at = skip(text, at + 1) end
  end
  return result, at + 1
end

function decode(text, at)
  local first = text:sub(at, at)
  if first == "{" then return object(text, at) end
  if first == "[" then return list(text, at) end
  if first == '"' then
    local stop = at + 1
    while text:byte(stop) ~= 34 do stop = stop + (text:byte(stop) == 92 and 2 or 1) end
    return text:sub(at + 1, stop - 1):gsub("\\(.)", unescapes), stop + 1
  end
  local word = text:match("^[%w%.+-]+", at)
  local value = words[word]
  if value == nil then value = tonumber(word) end
  return value, at + #word
end

local records = {}
for i = 1, 200 do
  records[i] = {
    id = i, name = "item \"" .. i .. "\"", price = i * 1.25, tags = { "a\tb", "c\\d", "plain" },
    stock = { warehouse = i % 7, shop = i % 3, open = i % 2 == 0 },
  }
end

local text
for _ = 1, tonumber(arg[1] or 30) do
  text = table.concat(encode(records, {}))
  records = decode(text, 1)
end
print("characters", #text, "records", #records, records[77].name)
