import { isObject, type Json, type JsonObject } from '../../json.js'
import { type Dialect, dialectOf } from '../dialects/dialects.js'
import { metaschemaAt } from '../dialects/metaschemas.js'
import type { ValidationLimits } from '../limits.js'
import { fromPointer } from '../pointer.js'
import { SchemaError } from '../schema-error.js'
import { resolveUri, type SchemaResource, splitFragment } from './schema-resource.js'
import { schemaSnapshot } from './schema-snapshot.js'
import { type LocatedSchema, SchemaSurvey } from './schema-survey.js'

export type Remotes = Readonly<Record<string, unknown>>

/** The base URI of a schema without a URI of its own. */
const nowhere = 'json-schema:///'

/** Every schema one compilation can reach. Nothing is ever fetched, and nothing outlives the compilation. */
export class SchemaLibrary {
  readonly root: Json
  readonly survey: SchemaSurvey
  readonly #limits: ValidationLimits
  readonly #remotes: Map<string, unknown>

  constructor(schema: unknown, options: { limits: ValidationLimits; remotes: Remotes; dialect: Dialect }) {
    this.#limits = options.limits
    this.#remotes = new Map(Object.entries(options.remotes).map(([uri, remote]) => [splitFragment(uri)[0], remote]))
    this.survey = new SchemaSurvey(options.limits, options.dialect, (uri) => dialectOf(uri, (at) => this.#documentAt(at)))
    this.root = schemaSnapshot(schema, options.limits)
    const home = this.survey.document(this.root, nowhere)
    // Referenced documents without $schema use the dialect of the root.
    this.survey.fallback = home.dialect
    // Resolves all references, including those found on the way, so that a broken one is reported before any use.
    for (const { reference, home } of this.survey.references) this.resolve(reference, home)
  }

  resolve(reference: string, from: SchemaResource): LocatedSchema {
    const [address, fragment] = splitFragment(reference)
    const resource = address === '' ? from : this.#resourceAt(resolveUri(address, from.uri), reference)
    const name = decode(fragment, reference)
    const pointer = fromPointer(name)
    if (pointer) return this.#follow(pointer, resource, reference)
    const schema = resource.anchors.get(name) ?? resource.dynamicAnchors.get(name)
    if (!schema) throw unresolved(reference, `there is no anchor ${JSON.stringify(name)}`)
    return { schema, home: resource }
  }

  homeOf(schema: JsonObject): SchemaResource {
    const home = this.survey.homes.get(schema)
    if (!home) throw new Error('a schema is compiled that was never surveyed')
    return home
  }

  #resourceAt(uri: string, reference: string): SchemaResource {
    const known = this.survey.resources.get(uri)
    if (known) return known
    const document = this.#documentAt(uri)
    if (document === undefined)
      throw unresolved(reference, 'it is outside this document, and references are never fetched; copy what it names into $defs')
    return this.survey.document(document, uri)
  }

  #documentAt(uri: string): Json | undefined {
    const document = this.#remotes.get(uri) ?? metaschemaAt(uri)
    return document === undefined ? undefined : schemaSnapshot(document, this.#limits)
  }

  #follow(pointer: readonly string[], resource: SchemaResource, reference: string): LocatedSchema {
    let home = resource
    let place: Json | undefined = resource.root
    for (const segment of pointer) {
      place = memberOf(place, segment)
      if (isObject(place)) home = this.survey.homes.get(place) ?? home
    }
    if (place === undefined) throw unresolved(reference, 'there is nothing at that place')
    this.survey.schema({ schema: place, home }, reference)
    return { schema: place, home: isObject(place) ? this.homeOf(place) : home }
  }
}

function memberOf(place: Json | undefined, segment: string): Json | undefined {
  if (Array.isArray(place)) return /^(0|[1-9]\d*)$/.test(segment) ? place[Number(segment)] : undefined
  // Copies of schemas have no prototype, so only own members are found.
  return isObject(place) ? place[segment] : undefined
}

function decode(fragment: string, reference: string): string {
  try {
    return decodeURIComponent(fragment)
  } catch (cause) {
    const message = `The reference ${JSON.stringify(reference)} has a malformed fragment; correct it.`
    throw new SchemaError('unresolved-ref', message, { cause })
  }
}

const unresolved = (reference: string, reason: string): SchemaError =>
  new SchemaError('unresolved-ref', `The reference ${JSON.stringify(reference)} cannot be resolved: ${reason}.`)
