const browsers = [
  ['Edge', 'Edg/'],
  ['Opera', 'OPR/'],
  ['Firefox', 'Firefox/'],
  ['Chrome', 'Chrome/'],
  ['Safari', 'Safari/'],
] as const
const systems = ['Windows', 'Android', 'iPhone', 'iPad', 'Mac OS', 'Linux'] as const

/** A browser's words about itself, shortened to what tells people which one it is. */
export function browserName(agent: string): string {
  const browser = browsers.find(([, sign]) => agent.includes(sign))?.[0]
  const system = systems.find((name) => agent.includes(name))
  if (!browser) return agent === '' ? 'A browser without a name' : agent
  return system ? `${browser} on ${system}` : browser
}
