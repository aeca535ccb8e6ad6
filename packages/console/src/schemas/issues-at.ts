import { toPointer } from './json.js'
import type { Issue } from './schema-check.js'

/** What is wrong, by the JSON pointer of the field that should say it. */
export type IssuesAt = ReadonlyMap<string, readonly string[]>

/** Puts each issue where a person can mend it: what is missing belongs to its own field, not to the group around it. */
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

/** Names are quoted as JSON; a long one is cut there, and then its group tells of it. */
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
