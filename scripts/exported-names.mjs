// The names that each entry of the library exports, with the first sentence of their documentation.
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'

const ts = createRequire(import.meta.url)('typescript-5.9')

/** @returns {Map<string, { name: string, kind: string, sentence: string, hasExample: boolean, members: string[] }[]>} `members` of a namespace. */
export function exportedNames(root) {
  const library = join(root, 'packages/toolwire')
  const { exports } = JSON.parse(readFileSync(join(library, 'package.json'), 'utf8'))
  const entries = Object.entries(exports)
    .filter(([, target]) => target.types)
    .map(([path, target]) => [
      path.replace(/^\./, 'toolwire'),
      join(library, target.types.replace('./dist/', 'src/').replace('.d.ts', '.ts')),
    ])
  const program = ts.createProgram(
    entries.map(([, file]) => file),
    {
      target: ts.ScriptTarget.ES2023,
      module: ts.ModuleKind.NodeNext,
      moduleResolution: ts.ModuleResolutionKind.NodeNext,
      types: ['node'],
      noEmit: true,
    },
  )
  const checker = program.getTypeChecker()
  return new Map(entries.map(([entry, file]) => [entry, namesOf(checker, program.getSourceFile(file))]))
}

function namesOf(checker, source) {
  return checker
    .getExportsOfModule(checker.getSymbolAtLocation(source))
    .map((symbol) => {
      const target = symbol.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(symbol) : symbol
      // A namespace is described where it is exported, because a file has no documentation of its own.
      const described = kindOf(target) === 'namespace' ? symbol : target
      const text = documentationOf(described, checker).replace(/\s+/g, ' ').trim()
      return {
        name: symbol.name,
        kind: kindOf(target),
        sentence: /^.*?[.:?!](?=\s|$)/.exec(text)?.[0].replace(/:$/, '.') ?? text,
        hasExample: target.getJsDocTags(checker).some((tag) => tag.name === 'example'),
        members: kindOf(target) === 'namespace' ? membersOf(checker, target) : [],
      }
    })
    .sort((a, b) => (a.name < b.name ? -1 : 1))
}

const membersOf = (checker, namespace) =>
  checker
    .getExportsOfModule(namespace)
    .map(({ name }) => name)
    .sort()

function documentationOf(symbol, checker) {
  const own = ts.displayPartsToString(symbol.getDocumentationComment(checker))
  if (own !== '') return own
  // An export specifier such as `export * as text` keeps its comment on the statement.
  const statement = symbol.declarations[0].parent
  return statement.jsDoc?.map(({ comment }) => ts.getTextOfJSDocComment(comment) ?? '').join(' ') ?? ''
}

function kindOf({ flags }) {
  if (flags & ts.SymbolFlags.Function) return 'function'
  if (flags & ts.SymbolFlags.Class) return 'class'
  if (flags & ts.SymbolFlags.Variable) return 'value'
  if (flags & ts.SymbolFlags.ValueModule) return 'namespace'
  return 'type'
}
