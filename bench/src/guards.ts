import type { ServerOptions, ToolSet } from 'toolwire'

// The parts of the guard that are active during a measure, by the value of GUARD.

type Guarding = Pick<ServerOptions<ToolSet>, 'guard' | 'limits'>

/**
 * `none` switches off every policy, `usual` has the default policies, `full` has all of them with fifty lines of rules. Without a value,
 * recording, rate limits and sanitizing are off, because no other server and no control has them. Rate limits are counted, but never
 * reached.
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

/** Policies off for measures of the protocol alone. */
export const wireOnly = { audit: false, rateLimit: false, sanitize: false } as const

/** A policy file of about fifty lines: most rules are for other tools, and `adding` decides about the measured calls. */
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
