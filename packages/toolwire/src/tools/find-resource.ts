import type { ReadyResource, ReadyTemplate } from './resource.js'

export type FoundResource =
  | { readonly entry: ReadyResource; readonly variables?: undefined }
  | { readonly entry: ReadyTemplate; readonly variables: Readonly<Record<string, string>> }

const mostSteps = 2 * 1024 * 1024

/** Steps that are left for matching URIs against templates: a bound for all that one message asks, however many templates there are. */
export class MatchBudget {
  #left = mostSteps

  /** False when so many are not left. */
  spend(steps: number): boolean {
    this.#left -= steps
    return this.#left >= 0
  }
}

type Entry = ReadyResource | ReadyTemplate
type Finding = {
  /** Entries that it says no to are passed over. */
  readonly sees: (entry: Entry) => boolean
  readonly budget?: MatchBudget
}

/** The first resource or template that has this URI; 'too-costly' when the budget is spent before that is known. */
export function findResource(
  entries: readonly Entry[],
  uri: string,
  { sees, budget = new MatchBudget() }: Finding,
): FoundResource | 'too-costly' | undefined {
  for (const entry of entries) {
    if (!sees(entry)) continue
    if (entry.kind === 'resource') {
      if (entry.definition.uri === uri) return { entry }
      continue
    }
    const steps = entry.pattern.stepsFor(uri)
    if (steps === 0) continue
    if (!budget.spend(steps)) return 'too-costly'
    const variables = entry.pattern.match(uri)
    if (variables) return { entry, variables }
  }
  return undefined
}
