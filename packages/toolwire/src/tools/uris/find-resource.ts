import type { ReadyResource, ReadyTemplate } from '../resource.js'

export type FoundResource =
  | { readonly entry: ReadyResource; readonly variables?: undefined }
  | { readonly entry: ReadyTemplate; readonly variables: Readonly<Record<string, string>> }

const mostSteps = 2 * 1024 * 1024

/** Remaining steps for matching URIs against templates. One budget covers a whole message, however many templates there are. */
type MatchBudget = { left: number }

export const matchBudget = (): MatchBudget => ({ left: mostSteps })

type Entry = ReadyResource | ReadyTemplate
type Finding = {
  /** Entries for which this returns false are skipped. */
  readonly sees: (entry: Entry) => boolean
  readonly budget?: MatchBudget
}

/** Several servers list the URI or have a template that it matches, and their order does not tell which of them owns it. */
export class SharedUri {
  readonly servers: readonly string[]

  constructor(...servers: readonly string[]) {
    this.servers = servers.toSorted()
  }
}

/**
 * Finds the first resource or template with this URI; 'too-costly' if the budget runs out first. If definitions name their servers, a
 * URI that two of them list or have a template for gives a `SharedUri`.
 */
export function findResource(
  entries: readonly Entry[],
  uri: string,
  { sees, budget = matchBudget() }: Finding,
): FoundResource | SharedUri | 'too-costly' | undefined {
  const isListed = (entry: Entry): entry is ReadyResource =>
    entry.kind === 'resource' && entry.definition.uri === uri && sees(entry)
  const listed = entries.find(isListed)
  let found: FoundResource | undefined = listed?.definition.server === undefined ? undefined : { entry: listed }
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
    // A template excludes what another server lists. If that is offered, the URI has two owners.
    if (!variables || (holder === undefined && excludes?.(uri))) continue
    if (holder !== undefined && server !== undefined) return new SharedUri(holder, server)
    found = { entry, variables }
    if (server === undefined) return found
  }
  return found
}
