-- Functions as values: closures, coroutines, metatables, and the garbage that they leave.
local function map(f, next) return function() local v = next() if v ~= nil then return f(v) end end end
local function filter(p, next)
  return function()
    local v = next()
    while v ~= nil and not p(v) do v = next() end
    return v
  end
end
local function count(last)
  local i = 0
  return function() i = i + 1 if i <= last then return i end end
end

local Vector = {}
Vector.__index = Vector
Vector.__add = function(a, b) return setmetatable({ x = a.x + b.x, y = a.y + b.y }, Vector) end
function Vector:length() return math.sqrt(self.x * self.x + self.y * self.y) end

local function permutations(list, n)
  if n <= 1 then
    coroutine.yield(list)
  else
    for i = 1, n do
      list[n], list[i] = list[i], list[n]
      permutations(list, n - 1)
      list[n], list[i] = list[i], list[n]
    end
  end
end

local sum, yields, length = 0, 0, 0
for _ = 1, tonumber(arg[1] or 6) do
  local next = map(function(v) return v * 3 end, filter(function(v) return v % 2 == 0 end, count(100000)))
  for v in next do sum = sum + v end
  for list in coroutine.wrap(function() permutations({ 1, 2, 3, 4, 5, 6, 7, 8 }, 8) end) do yields = yields + list[1] end
  local position = setmetatable({ x = 0, y = 0 }, Vector)
  local step = setmetatable({ x = 0.5, y = 0.25 }, Vector)
  for _ = 1, 60000 do position = position + step end
  length = length + position:length()
end
print("sum", sum, "yields", yields, string.format("length %.3f", length))
