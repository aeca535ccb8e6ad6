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

/** As in a server of many tools: most rules are about other tools, ten about this one, its arguments and its callers, and the last decides. */
const fifty = {
  default: 'deny',
  rules: [
    ...Array.from({ length: 40 }, (_, at) => ({
      name: `elsewhere ${at}`,
      when: { tool: `other_${at}_*` },
      decision: 'deny' as const,
    })),
    ...Array.from({ length: 5 }, (_, at) => ({
      name: `sum ${at}`,
      when: { tool: 'add', arguments: { a: { minimum: 1_000_000 + at } } },
      decision: 'deny' as const,
    })),
    ...Array.from({ length: 4 }, (_, at) => ({
      name: `caller ${at}`,
      when: { tool: 'add', caller: { id: `somebody-${at}` } },
      decision: 'deny' as const,
    })),
    { name: 'adding', when: { tool: 'add' }, decision: 'allow' as const },
  ],
} as const
