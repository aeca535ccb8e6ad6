import { toPointer } from './json.js'
import type { Issue } from './schema-check.js'

/** Error messages by the JSON pointer of the field that shows them. */
export type IssuesAt = ReadonlyMap<string, readonly string[]>

/** Assigns each issue to the field that can fix it: a missing member to its own field, not to the group around it. */
export function issuesAt(issues: readonly Issue[]): IssuesAt {
  const found = new Map<string, string[]>()
  for (const issue of issues) {
    const missing = missingIn(issue)
    const place = missing === undefined ? issue.path : `${issue.path}${toPointer([missing])}`
    const words = missing === undefined ? issue.message : wordsForMissing(issue)
    found.set(place, [...(found.get(place) ?? []), words])
  }
  return found
}

function missingIn({ keyword, expected }: Issue): string | undefined {
  if (keyword !== 'required' && keyword !== 'dependentRequired') return undefined
  const quoted = /^the property (".*")$/s.exec(expected ?? '')?.[1]
  return quoted === undefined ? undefined : unquoted(quoted)
}

/** Names are quoted as JSON. A long name is cut short and does not parse, so its group reports it. */
function unquoted(quoted: string): string | undefined {
  try {
    const name: unknown = JSON.parse(quoted)
    return typeof name === 'string' ? name : undefined
  } catch {
    return undefined
  }
}

function wordsForMissing({ message }: Issue): string {
  const because = / \((because .*)\)$/s.exec(message)?.[1]
  return because === undefined ? 'needs a value' : `needs a value, ${because}`
}
