-- Sorts tables: numbers, strings, records by a function, and a heap by hand.
local seed = 7
local function random()
  seed = (seed * 1103515245 + 12345) % 2147483648
  return seed
end

local function heap_sort(list)
  local function sift(root, last)
    while 2 * root <= last do
      local child = 2 * root
      if child < last and list[child] < list[child + 1] then child = child + 1 end
      if list[root] >= list[child] then return end
      list[root], list[child] = list[child], list[root]
      root = child
    end
  end
  for root = #list // 2, 1, -1 do sift(root, #list) end
  for last = #list, 2, -1 do
    list[1], list[last] = list[last], list[1]
    sift(1, last - 1)
  end
end

local size, check = 20000, 0
for _ = 1, tonumber(arg[1] or 3) do
  local numbers, strings, records, heap = {}, {}, {}, {}
  for i = 1, size do
    local value = random()
    numbers[i], heap[i] = value, value
    strings[i] = string.format("%08x", value)
    records[i] = { key = value % 1000, order = i }
  end
  table.sort(numbers)
  table.sort(strings)
  table.sort(records, function(a, b) return a.key < b.key or a.key == b.key and a.order < b.order end)
  heap_sort(heap)
  for i = 1, size do assert(numbers[i] == heap[i]) end
  check = (check + numbers[size // 2] + tonumber(strings[3], 16) + records[size // 3].order) % 1000003
end
print("check", check)
