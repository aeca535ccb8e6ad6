import type { ServerOptions, ToolSet } from './options.js'

export type ServedFeatures = {
  readonly tools: boolean
  readonly resources: boolean
  readonly prompts: boolean
  readonly completions: boolean
  /** Serves tasks even while no tool supports them; by default the tools decide. */
  readonly tasks?: boolean
  /** While entries may still come: a sentence to add about an entry that is not there. It is then unavailable, not unknown. */
  readonly incomplete?: string | undefined
}

/** Entries may be added later, so an empty set of resources or prompts is served unless the server is fixed. */
export function servedFeatures({ tools, resources, prompts, fixed }: ServerOptions<ToolSet>): ServedFeatures {
  const some = (named: object | undefined) => named !== undefined && (!fixed || Object.keys(named).length > 0)
  const args = Object.values(prompts ?? {}).flatMap(({ definition }) => Object.values(definition.args ?? {}))
  const completes = args.some(({ complete }) => complete)
  const fills = Object.values(resources ?? {}).some((entry) => entry.kind === 'template' && entry.definition.complete)
  return {
    tools: tools !== undefined || !(resources || prompts),
    resources: some(resources),
    prompts: some(prompts),
    completions: completes || fills || some(prompts),
  }
}
