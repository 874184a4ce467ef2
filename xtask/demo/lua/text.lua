-- Works on text: patterns, substitution, counting words, formatting.
local seed = 42
local function random(limit)
  seed = (seed * 1103515245 + 12345) % 2147483648
  return seed // 65536 % limit + 1
end

local vocabulary = {}
for i = 1, 500 do
  local word = {}
  for j = 1, random(8) + 2 do word[j] = string.char(96 + random(26)) end
  vocabulary[i] = table.concat(word)
end

local lines = {}
for i = 1, 1500 do
  local line = {}
  for j = 1, 12 do line[j] = vocabulary[random(#vocabulary)] end
  lines[i] = table.concat(line, " ") .. "; key_" .. i .. " = " .. random(1000)
end
local text = table.concat(lines, "\n")

local counts, changed, sum = {}, 0, 0
for _ = 1, tonumber(arg[1] or 6) do
  for word in text:gmatch("%a+") do counts[word] = (counts[word] or 0) + 1 end
  local title, n = text:gsub("(%l)(%l*)", function(first, rest) return first:upper() .. rest end)
  changed = changed + n
  for key, value in title:gmatch("([%w_]+) = (%d+)") do sum = sum + #key + tonumber(value) end
  text:lower():rep(2):reverse():find("zzzzzz", 1, true)
  for i = 1, #lines, 10 do sum = sum + #string.format("%05d %-20s %5.2f", i, lines[i]:sub(1, 20), i / 7) end
end

local names = {}
for word in pairs(counts) do names[#names + 1] = word end
table.sort(names, function(a, b) return counts[a] ~= counts[b] and counts[a] > counts[b] or counts[a] == counts[b] and a < b end)
print("most frequent", names[1], counts[names[1]], "changed", changed, "sum", sum)
