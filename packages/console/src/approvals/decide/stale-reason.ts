import type { Approval } from '../../api/types.js'

type What = NonNullable<Approval['changes']>[number]

const words = {
  tool: 'The tool is not there any more',
  server: 'Another server has this name since this call was asked for',
  definition: 'The definition of the tool has changed since this call was asked for',
  policy: 'The rules have changed since this call was asked for',
} as const satisfies Record<What, string>

/** Why a call that waits cannot be allowed any more, and what can be done; undefined where everything is as it was. */
export function staleReason({ changed, changes = [] }: Approval): string | undefined {
  if (!changed && changes.length === 0) return undefined
  const [first = 'definition'] = changes
  return `${words[first]}, so it cannot be allowed. Deny it: the caller can ask again, and everything is looked at anew.`
}
