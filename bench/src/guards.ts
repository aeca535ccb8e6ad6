import type { ServerOptions, ToolSet } from 'toolwire'

// How much of the guard stands around the calls that are measured, by the value of GUARD.

type Guarding = Pick<ServerOptions<ToolSet>, 'guard' | 'limits'>

/**
 * `none` switches off everything by name, `usual` is what is on unless told otherwise, `full` is everything with fifty lines of rules.
 * Without a value only that is off which no other server and no control does: recording, rates and cleaning are measured by themselves.
 * Rates are counted, and never met.
 */
export async function guardOf(how: string | undefined): Promise<Guarding> {
  return { ...(await guardNamed(how)), limits: { lists: false } }
}

async function guardNamed(how: string | undefined): Promise<Guarding> {
  if (how === 'none')
    return { guard: { audit: false, access: false, rateLimit: false, validate: false, timeout: false, sanitize: false } }
  if (how === 'usual') return { guard: { rateLimit: { tool: plenty } } }
  if (how !== 'full') return { guard: wireOnly }
  const { rules } = await import('toolwire/rules')
  return { guard: { rules: rules(fifty), rateLimit: { tool: plenty, caller: plenty } } }
}

const plenty = { calls: 100_000_000, per: 'minute' } as const

/** What a server or a client does with the wire alone. */
export const wireOnly = { audit: false, rateLimit: false, sanitize: false } as const

/** What fifty lines of a policy file say: most rules are about other tools, and of those about this one the last decides. */
const fifty = {
  default: 'deny',
  rules: [
    ...Array.from({ length: 6 }, (_, at) => ({
      name: `elsewhere ${at}`,
      when: { tool: `other_${at}_*` },
      decision: 'deny' as const,
    })),
    { name: 'guests', when: { caller: { id: 'guest-*' } }, decision: 'deny' },
    { name: 'somebody', when: { tool: 'add', caller: { id: 'somebody' } }, decision: 'deny' },
    { name: 'large', when: { tool: 'add', arguments: { a: { minimum: 1_000_000 } } }, decision: 'deny' },
    { name: 'small', when: { tool: 'add', arguments: { b: { maximum: -1_000_000 } } }, decision: 'deny' },
    { name: 'adding', when: { tool: 'add' }, decision: 'allow' },
    { name: 'reading', when: { hints: { readOnly: true } }, decision: 'allow' },
  ],
} as const
