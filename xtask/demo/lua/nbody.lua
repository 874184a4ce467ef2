-- Planets around a sun: floating-point arithmetic and field access.
local G, DAYS = 4 * math.pi * math.pi, 365.24

local function body(x, y, z, vx, vy, vz, mass)
  return { x = x, y = y, z = z, vx = vx * DAYS, vy = vy * DAYS, vz = vz * DAYS, mass = mass * G }
end

local bodies = {
  body(0, 0, 0, 0, 0, 0, 1),
  body(4.84, -1.16, -0.10, 0.00166, 0.00770, -0.0000690, 0.000955),
  body(8.34, 4.12, -0.40, -0.00277, 0.00500, 0.0000230, 0.000286),
  body(12.89, -15.11, -0.22, 0.00296, 0.00238, -0.0000297, 0.0000437),
  body(15.38, -25.92, 0.18, 0.00268, 0.00163, -0.0000952, 0.0000515),
}

local function advance(dt)
  for i = 1, #bodies do
    local a = bodies[i]
    for j = i + 1, #bodies do
      local b = bodies[j]
      local dx, dy, dz = a.x - b.x, a.y - b.y, a.z - b.z
      local square = dx * dx + dy * dy + dz * dz
      local pull = dt / (square * math.sqrt(square))
      a.vx, a.vy, a.vz = a.vx - dx * b.mass * pull, a.vy - dy * b.mass * pull, a.vz - dz * b.mass * pull
      b.vx, b.vy, b.vz = b.vx + dx * a.mass * pull, b.vy + dy * a.mass * pull, b.vz + dz * a.mass * pull
    end
  end
  for i = 1, #bodies do
    local a = bodies[i]
    a.x, a.y, a.z = a.x + dt * a.vx, a.y + dt * a.vy, a.z + dt * a.vz
  end
end

local function energy()
  local sum = 0
  for i, a in ipairs(bodies) do
    sum = sum + 0.5 * a.mass * (a.vx * a.vx + a.vy * a.vy + a.vz * a.vz)
    for j = i + 1, #bodies do
      local b = bodies[j]
      local dx, dy, dz = a.x - b.x, a.y - b.y, a.z - b.z
      sum = sum - a.mass * b.mass / math.sqrt(dx * dx + dy * dy + dz * dz)
    end
  end
  return sum
end

for _ = 1, tonumber(arg[1] or 60000) do advance(0.01) end
print(string.format("energy %.6f", energy()))
