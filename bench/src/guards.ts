// How much of the guard stands around the calls that are measured, by the value of GUARD.
import type { ServerOptions, ToolSet } from 'toolwire'

type Guarding = Pick<ServerOptions<ToolSet>, 'guard'>

/** `none` switches off everything by name, `full` is everything with fifty lines of rules; without a value it is what a server does unless told otherwise. */
export async function guardOf(how: string | undefined): Promise<Guarding> {
  if (how === 'none')
    return { guard: { audit: false, access: false, rateLimit: false, validate: false, timeout: false, sanitize: false } }
  if (how !== 'full') return {}
  const { rules } = await import('toolwire/rules')
  return { guard: { rules: rules(fifty), rateLimit: { caller: { calls: 100_000_000, per: 'minute' } } } }
}

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
