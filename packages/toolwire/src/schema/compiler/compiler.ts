import type { Json, JsonObject } from '../../json.js'
import type { Dialect } from '../dialects/dialects.js'
import type { Keyword, KeywordSite } from '../dialects/keyword.js'
import { booleanSchema } from '../keywords/combinators.js'
import type { Pattern, PatternEngine } from '../patterns/linear-patterns.js'
import { fromPointer } from '../pointer.js'
import { allChecks, countingCheck, isolatedCheck, mergingCheck, scopedCheck } from './combine-checks.js'
import type { SchemaLibrary } from './schema-library.js'
import { type SchemaResource, splitFragment } from './schema-resource.js'
import type { Check } from './validation-run.js'

/** A place for a compiled schema. References may reach it before the schema is ready, because schemas may refer to themselves. */
type CompiledCell = { readonly schema: Json; check: Check | undefined }

/** Turns surveyed schemas into closures, each schema once. */
export class SchemaCompiler {
  readonly #library: SchemaLibrary
  readonly #patterns: PatternEngine
  readonly #cells = new Map<Json, CompiledCell>()
  readonly #waiting: CompiledCell[] = []
  readonly #knownPatterns = new Map<string, Pattern>()

  constructor(library: SchemaLibrary, patterns: PatternEngine) {
    this.#library = library
    this.#patterns = patterns
  }

  compile(): Check {
    const root = this.#cell(this.#library.root)
    for (const schema of this.#library.survey.homes.keys()) this.#cell(schema)
    for (let cell = this.#waiting.pop(); cell; cell = this.#waiting.pop()) this.#checkOf(cell)
    return this.#isolated(root.check!)
  }

  /** Queues a schema for compilation, so that a chain of references causes no recursion. */
  #cell(schema: Json): CompiledCell {
    const known = this.#cells.get(schema)
    if (known) return known
    const cell: CompiledCell = { schema, check: undefined }
    this.#cells.set(schema, cell)
    this.#waiting.push(cell)
    return cell
  }

  #checkOf(cell: CompiledCell): Check {
    // Only a schema object has keywords; a boolean is ready at once.
    cell.check ??= booleanSchema(cell.schema) ?? this.#schemaCheck(cell.schema as JsonObject)
    return cell.check
  }

  #schemaCheck(schema: JsonObject): Check {
    const home = this.#library.homeOf(schema)
    const site = this.#site(schema, home)
    const keywords = keywordsOf(schema, home.dialect)
    const checks = keywords.flatMap((keyword) => keyword.compile?.(schema[keyword.name]!, site) ?? [])
    const isLeaf = !keywords.some(leadsElsewhere)
    const check = isLeaf ? allChecks(checks) : countingCheck(checks)
    return this.#library.survey.scoped ? scopedCheck(home, check) : check
  }

  #site(schema: JsonObject, home: SchemaResource): KeywordSite {
    const { tracks } = this.#library.survey
    return {
      tracks,
      sibling: (name) => (home.dialect.keywords.has(name) ? schema[name] : undefined),
      child: (part) => this.#isolated(this.#checkOf(this.#cell(part))),
      inPlace: (part) => this.#merging(this.#checkOf(this.#cell(part))),
      reference: (reference) => this.#merging(deferred(this.#cell(this.#library.resolve(reference, home).schema))),
      dynamicReference: (reference) => this.#merging(this.#dynamic(reference, home)),
      pattern: (source) => this.#pattern(source),
    }
  }

  #pattern(source: string): Pattern {
    const known = this.#knownPatterns.get(source)
    if (known) return known
    const compiled = this.#patterns(source)
    this.#knownPatterns.set(source, compiled)
    return compiled
  }

  /** Tracks evaluated members only if an unevaluated keyword may need them. */
  #isolated(check: Check): Check {
    return this.#library.survey.tracks ? isolatedCheck(check) : check
  }

  #merging(check: Check): Check {
    return this.#library.survey.tracks ? mergingCheck(check) : check
  }

  /** Chooses the outermost resource of the dynamic scope that has the anchor. spec: 2020-12 core, 8.2.3.2 */
  #dynamic(reference: string, from: SchemaResource): Check {
    const target = this.#library.resolve(reference, from)
    const plain = deferred(this.#cell(target.schema))
    const name = splitFragment(reference)[1]
    if (fromPointer(name) || target.home.dynamicAnchors.get(name) !== target.schema) return plain
    return (value, run) => {
      let chosen: JsonObject | undefined
      for (let scope = run.scope; scope; scope = scope.outer) chosen = scope.resource.dynamicAnchors.get(name) ?? chosen
      const cell = chosen && this.#cells.get(chosen)
      return cell ? cell.check!(value, run) : plain(value, run)
    }
  }
}

function keywordsOf(schema: JsonObject, { keywords, refStandsAlone }: Dialect): Keyword[] {
  const alone = refStandsAlone && '$ref' in schema
  return [...keywords.values()].filter(({ name }) => name in schema && (!alone || name === '$ref'))
}

/** Does the keyword hold or name other schemas? */
const leadsElsewhere = ({ name, shape }: Keyword): boolean =>
  shape.parts !== undefined || name === '$ref' || name === '$dynamicRef'

function deferred(cell: CompiledCell): Check {
  return (value, run) => cell.check!(value, run)
}
