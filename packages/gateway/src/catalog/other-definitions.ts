import type { ListedDefinition } from './definitions/settle-names.js'
import { exposedName } from './names/exposed-name.js'
import type { UpstreamCatalog } from './upstream-catalog.js'

/** What upstreams list besides tools, offered or not. */
export const otherDefinitions = (
  all: readonly UpstreamCatalog[],
): readonly Pick<ListedDefinition, 'server' | 'kind' | 'name'>[] =>
  all.flatMap(({ upstream: { id, config }, prompts, resources, templates }) => [
    ...prompts.map(({ name }) => ({ server: id, kind: 'prompt' as const, name: exposedName(config.prefix, String(name)) })),
    ...resources.map(({ uri }) => ({ server: id, kind: 'resource' as const, name: String(uri) })),
    ...templates.map(({ uriTemplate }) => ({ server: id, kind: 'template' as const, name: String(uriTemplate) })),
  ])
