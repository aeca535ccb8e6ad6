import type { ServerOptions, ToolSet } from './options.js'

/** Which families of methods a server answers. */
export type ServedFeatures = {
  readonly tools: boolean
  readonly resources: boolean
  readonly prompts: boolean
  readonly completions: boolean
  /** Tasks, though no tool may take them now; as the tools are if not said. */
  readonly tasks?: boolean
}

/** Tools may come later, so a server that names none still offers the list unless it is fixed. */
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
