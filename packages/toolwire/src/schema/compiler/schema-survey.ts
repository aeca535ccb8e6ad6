import { isObject, type Json, type JsonObject } from '../../json.js'
import type { Dialect } from '../dialects/dialects.js'
import type { Keyword } from '../dialects/keyword.js'
import { valueExcerpt } from '../issue.js'
import type { ValidationLimits } from '../limits.js'
import { toPointer } from '../pointer.js'
import { SchemaError } from '../schema-error.js'
import { resolveUri, type SchemaResource, splitFragment } from './schema-resource.js'
import { schemaTooDeep } from './schema-snapshot.js'

export type LocatedSchema = { readonly schema: Json; readonly home: SchemaResource }

type Visit = LocatedSchema & { readonly path: readonly (string | number)[]; readonly origin: string; readonly depth: number }

/** Walks every subschema once, without recursion: checks its keywords' shapes and notes identifiers and references. */
export class SchemaSurvey {
  readonly resources = new Map<string, SchemaResource>()
  readonly homes = new Map<JsonObject, SchemaResource>()
  readonly references: { readonly reference: string; readonly home: SchemaResource }[] = []
  /** `tracks` is set by an unevaluated keyword, `scoped` by a `$dynamicRef`. */
  tracks = false
  scoped = false
  fallback: Dialect
  readonly #limits: ValidationLimits
  readonly #dialectAt: (uri: string) => Dialect
  #count = 0

  constructor(limits: ValidationLimits, fallback: Dialect, dialectAt: (uri: string) => Dialect) {
    this.#limits = limits
    this.fallback = fallback
    this.#dialectAt = dialectAt
  }

  /** Adds a document under the URI it was found at and under its own `$id`. */
  document(root: Json, uri: string): SchemaResource {
    const home = this.#open(root, uri, this.#dialectNamedBy(root) ?? this.fallback)
    this.schema({ schema: root, home }, uri)
    const own = (isObject(root) && this.homes.get(root)) || home
    this.resources.set(uri, own)
    return own
  }

  /** Adds a schema, unless it has been visited before. */
  schema(place: LocatedSchema, origin: string): void {
    const open: Visit[] = [{ ...place, path: [], origin, depth: 0 }]
    for (let visit = open.pop(); visit; visit = open.pop()) this.#visit(visit, open)
  }

  #visit(visit: Visit, open: Visit[]): void {
    const { schema, depth } = visit
    if (typeof schema === 'boolean') return
    if (!isObject(schema)) throw misshapen(visit, `a schema must be an object, true or false, got ${valueExcerpt(schema)}`)
    if (this.homes.has(schema)) return
    if (++this.#count > this.#limits.subschemas) throw tooMany(this.#limits)
    if (depth > this.#limits.depth) throw schemaTooDeep(this.#limits)
    const home = this.#homeFor(schema, visit.home)
    this.homes.set(schema, home)
    for (const [name, argument] of Object.entries(schema)) {
      const keyword = home.dialect.keywords.get(name)
      if (!keyword || argument === undefined) continue
      for (const part of this.#partsOf(keyword, argument, { ...visit, home, path: [...visit.path, name] })) open.push(part)
    }
  }

  /** Checks the shape of a keyword's argument and returns the subschemas in it. */
  #partsOf({ shape, name }: Keyword, argument: Json, at: Visit): Visit[] {
    if (!shape.holds(argument)) {
      const hint = shape.hint?.(argument)
      const meant = hint === undefined ? '' : `; did you mean ${JSON.stringify(hint)}?`
      throw misshapen(at, `"${name}" must be ${shape.says}, got ${valueExcerpt(argument)}${meant}`)
    }
    if (name === 'unevaluatedProperties' || name === 'unevaluatedItems') this.tracks = true
    if (name === '$dynamicRef') this.scoped = true
    if ((name === '$ref' || name === '$dynamicRef') && typeof argument === 'string')
      this.references.push({ reference: argument, home: at.home })
    const parts = shape.parts?.(argument) ?? []
    return parts.map((part) => ({ ...at, schema: part.schema, path: [...at.path, ...part.at], depth: at.depth + 1 }))
  }

  /** The resource a schema belongs to: its own when it has an `$id`. */
  #homeFor(schema: JsonObject, outer: SchemaResource): SchemaResource {
    const home = this.#ownHome(schema, outer)
    if (typeof schema.$anchor === 'string') home.anchors.set(schema.$anchor, schema)
    if (typeof schema.$dynamicAnchor === 'string') home.dynamicAnchors.set(schema.$dynamicAnchor, schema)
    return home
  }

  #ownHome(schema: JsonObject, outer: SchemaResource): SchemaResource {
    const { $id: id } = schema
    if (typeof id !== 'string' || (outer.dialect.refStandsAlone && '$ref' in schema)) return outer
    const [address, fragment] = splitFragment(id)
    const home = address === '' ? outer : this.#ownResource(schema, resolveUri(address, outer.uri), outer)
    if (fragment !== '' && home.dialect.idNamesAnchors) home.anchors.set(fragment, schema)
    return home
  }

  #ownResource(schema: JsonObject, uri: string, outer: SchemaResource): SchemaResource {
    const known = this.resources.get(uri)
    if (known?.root === schema) return known
    if (known) throw new SchemaError('invalid-schema', `Two schemas have the same $id ${JSON.stringify(uri)}; give each its own.`)
    return this.#open(schema, uri, this.#dialectNamedBy(schema) ?? outer.dialect)
  }

  #open(root: Json, uri: string, dialect: Dialect): SchemaResource {
    const resource: SchemaResource = { uri, root, dialect, anchors: new Map(), dynamicAnchors: new Map() }
    this.resources.set(uri, resource)
    return resource
  }

  #dialectNamedBy(schema: Json): Dialect | undefined {
    const uri = isObject(schema) ? schema.$schema : undefined
    return typeof uri === 'string' ? this.#dialectAt(uri) : undefined
  }
}

function misshapen(visit: Visit, message: string): SchemaError {
  const document = visit.origin.startsWith('json-schema:') || visit.origin.startsWith('#') ? '' : `${visit.origin} `
  return new SchemaError('invalid-schema', `The schema is not valid at ${document}#${toPointer(visit.path)}: ${message}.`)
}

const tooMany = ({ subschemas }: ValidationLimits): SchemaError =>
  new SchemaError('too-many', `The schema has more than ${subschemas} subschemas; make it smaller.`)
