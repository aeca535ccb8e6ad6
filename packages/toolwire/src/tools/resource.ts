import type { InputRequired } from './ask.js'
import type { Caller } from './caller.js'
import { checkAnnotations, checkIcons, checkUri } from './checks/check-content.js'
import { definitionError } from './checks/definition-error.js'
import { adviseAll, checkOptions, type OptionHints, optionsOf } from './checks/known-options.js'
import { checkMetaKeys } from './checks/meta-keys.js'
import {
  listOf,
  someFunction,
  someObject,
  someText,
  someTexts,
  timeoutMs,
  trueOrFalse,
  wholeNumber,
} from './checks/option-values.js'
import type { Annotations, ResourceContents } from './content.js'
import type { Context } from './context.js'
import type { ToolDefinition } from './tool.js'
import { parseTemplate, type UriTemplate } from './uris/uri-template.js'

/** Results of `read`: text, bytes, or whole contents (several, or with their own URI and type). */
export type ReadResult = string | Uint8Array | ResourceContents | readonly ResourceContents[] | InputRequired
type Awaitable<T> = T | Promise<T>

/** Suggests values for an argument; `given` holds the arguments already filled in. */
export type Completer = (
  prefix: string,
  given: Readonly<Record<string, string>>,
  caller: Caller,
  ctx: Pick<Context, 'signal' | 'cancelToken' | 'meta' | 'recheck'>,
) => Awaitable<readonly string[]>

/** Members that resources, templates and prompts have in common. */
export type Described = Pick<
  ToolDefinition<never, never, never>,
  'title' | 'description' | 'icons' | '_meta' | 'scopes' | 'timeout'
> & {
  /** The name in lists; by default the name under which it is registered. */
  name?: string
  mimeType?: string
  annotations?: Annotations
  /** The contents come from another server and are passed on without checks. */
  foreign?: boolean
  /** The server that the contents come from, if there are several. A URI of one is never read from another. */
  server?: string
}

type Watchable = Described & {
  /** False if subscriptions are refused, because changes are never announced. */
  watchable?: boolean
}

/** The definition of a resource; only `uri` and `read` are required. */
export type ResourceDefinition = Watchable & {
  uri: string
  size?: number
  read: (ctx: Context) => Awaitable<ReadResult>
}
/** The definition of a family of resources; only `uriTemplate` and `read` are required. */
export type TemplateDefinition = Watchable & {
  /** RFC 6570, such as `notes://{year}/{+path}`. */
  uriTemplate: string
  complete?: { readonly [variable: string]: Completer }
  /** Excludes URIs that match the template but do not belong to this family. */
  excludes?: (uri: string) => boolean
  /** Returns the contents, or undefined if there is no such resource; `uri` is the whole requested URI. */
  read: (variables: Readonly<Record<string, string>>, ctx: Context, uri: string) => Awaitable<ReadResult | undefined>
}

/** A resource as a value; a server gives it its name. */
export type Resource = { readonly kind: 'resource'; readonly definition: Readonly<ResourceDefinition> }
/** A family of resources as a value; a server gives it its name. */
export type Template = { readonly kind: 'template'; readonly definition: Readonly<TemplateDefinition> }

export type ReadyResource = Resource & { readonly name: string }
export type ReadyTemplate = Template & { readonly name: string; readonly pattern: UriTemplate }

/**
 * A resource with a fixed URI.
 *
 * @example
 * ```ts
 * const readme = resource({ uri: 'file:///readme.md', name: 'readme', read: () => 'Read me' })
 * ```
 */
export function resource(definition: ResourceDefinition): Resource {
  checkOptions('A resource', definition, resourceOptions, { ...insteadOf, uriTemplate: 'Use template({ uriTemplate, … }).' })
  checkUri(definition?.uri)
  checkDescribed(definition)
  return { kind: 'resource', definition }
}

/**
 * A family of resources whose URIs follow a template.
 *
 * @example
 * ```ts
 * const note = template({ uriTemplate: 'note:///{id}', name: 'note', read: ({ id }) => `Note ${id}` })
 * ```
 */
export function template(definition: TemplateDefinition): Template {
  checkOptions('A template', definition, templateOptions, { ...insteadOf, uri: 'Write `uriTemplate`, such as notes://{id}.' })
  if (typeof definition?.uriTemplate !== 'string') throw definitionError('A template needs a `uriTemplate` such as notes://{id}')
  const { variables } = parseTemplate(definition.uriTemplate)
  // RFC 3986: the scheme comes first, and no variable may decide it.
  if (!/^[A-Za-z][A-Za-z0-9+.-]*:/.test(definition.uriTemplate))
    throw definitionError(`The template ${definition.uriTemplate} needs a scheme in front, such as notes://{id}`)
  for (const name of Object.keys(definition.complete ?? {})) {
    if (!variables.includes(name))
      throw definitionError(`complete.${name} suggests values for a variable that ${definition.uriTemplate} does not have`)
  }
  checkDescribed(definition)
  return { kind: 'template', definition }
}

const described = {
  'name title description mimeType server': someText,
  scopes: someTexts,
  timeout: timeoutMs,
  'foreign watchable': trueOrFalse,
  icons: listOf(someObject),
  'annotations _meta': someObject,
} as const
const resourceOptions = optionsOf<ResourceDefinition>()('uri read', described, { size: wholeNumber(0) })
const templateOptions = optionsOf<TemplateDefinition>()('uriTemplate read', described, {
  complete: someObject,
  excludes: someFunction,
})

const read = 'Write `read`, the function that gives the contents: read: () => ….'
const insteadOf: OptionHints = {
  url: 'Write `uri`, such as notes://readme.',
  ...adviseAll('handler callback run load readCallback text contents', read),
}

export function readyResource(name: string, value: Resource | Template): ReadyResource | ReadyTemplate {
  if (value?.kind !== 'resource' && value?.kind !== 'template')
    throw definitionError(
      `Resource "${name}": it was not made by resource() or template(). Write one of them around its definition.`,
    )
  if (value.kind === 'resource') return { ...value, name }
  return { ...value, name, pattern: parseTemplate(value.definition.uriTemplate) }
}

function checkDescribed({ annotations, icons, _meta, read }: Described & { read: unknown }): void {
  if (typeof read !== 'function') throw definitionError('A resource needs `read`, the function that gives its contents')
  if (annotations) checkAnnotations(annotations)
  if (icons) checkIcons(icons)
  checkMetaKeys(_meta)
}
