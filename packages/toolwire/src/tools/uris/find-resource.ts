import type { ReadyResource, ReadyTemplate } from '../resource.js'

export type FoundResource =
  | { readonly entry: ReadyResource; readonly variables?: undefined }
  | { readonly entry: ReadyTemplate; readonly variables: Readonly<Record<string, string>> }

const mostSteps = 2 * 1024 * 1024

/** Steps that are left for matching URIs against templates: a bound for all that one message asks, however many templates there are. */
type MatchBudget = { left: number }

export const matchBudget = (): MatchBudget => ({ left: mostSteps })

type Entry = ReadyResource | ReadyTemplate
type Finding = {
  /** Entries that it says no to are passed over. */
  readonly sees: (entry: Entry) => boolean
  readonly budget?: MatchBudget
}

/** Templates of different servers have the URI, and the order in which they stand says nothing about whose it is. */
export class SharedUri {
  readonly servers: readonly string[]

  constructor(...servers: readonly string[]) {
    this.servers = servers.toSorted()
  }
}

/**
 * The first resource or template that has this URI; 'too-costly' when the budget is spent before that is known. Where definitions say
 * whose they are, a template of one server answers nothing that a template of another might.
 */
export function findResource(
  entries: readonly Entry[],
  uri: string,
  { sees, budget = matchBudget() }: Finding,
): FoundResource | SharedUri | 'too-costly' | undefined {
  let found: FoundResource | undefined
  for (const entry of entries) {
    if (!sees(entry)) continue
    if (entry.kind === 'resource') {
      if (entry.definition.uri === uri && !found) return { entry }
      continue
    }
    const { server, excludes } = entry.definition
    const holder = found?.entry.definition.server
    if (found && (server === undefined || server === holder)) continue
    const steps = entry.pattern.stepsFor(uri)
    if (steps === 0) continue
    budget.left -= steps
    if (budget.left < 0) return 'too-costly'
    const variables = entry.pattern.match(uri)
    if (!variables || excludes?.(uri)) continue
    if (holder !== undefined && server !== undefined) return new SharedUri(holder, server)
    found = { entry, variables }
    if (server === undefined) return found
  }
  return found
}
