// How much of the guard stands around the calls that are measured, by the value of GUARD.
import type { ServerOptions, ToolSet } from 'toolwire'

type Guarding = Pick<ServerOptions<ToolSet>, 'guard'>

/** `none` switches off everything by name, `full` is everything with 50 rules; without a value it is what a server does unless told otherwise. */
export async function guardOf(how: string | undefined): Promise<Guarding> {
  if (how === 'none')
    return { guard: { audit: false, access: false, rateLimit: false, validate: false, timeout: false, sanitize: false } }
  if (how !== 'full') return {}
  const { rules } = await import('toolwire/rules')
  return { guard: { rules: rules(fifty), rateLimit: { caller: { calls: 100_000_000, per: 'minute' } } } }
}

/** The last rule decides, and the others are about this tool or another one, its arguments or its caller. */
const fifty = {
  default: 'deny',
  rules: [
    ...Array.from({ length: 16 }, (_, at) => ({
      name: `elsewhere ${at}`,
      when: { tool: `other_${at}_*` },
      decision: 'deny' as const,
    })),
    ...Array.from({ length: 16 }, (_, at) => ({
      name: `sum ${at}`,
      when: { tool: 'add', arguments: { a: { minimum: 1_000_000 + at } } },
      decision: 'deny' as const,
    })),
    ...Array.from({ length: 17 }, (_, at) => ({
      name: `caller ${at}`,
      when: { tool: 'add', caller: { id: `somebody-${at}` } },
      decision: 'deny' as const,
    })),
    { name: 'adding', when: { tool: 'add' }, decision: 'allow' as const },
  ],
} as const
