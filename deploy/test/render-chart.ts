// A stand-in for Helm that supports the few constructs of the chart. Others stay in the text, where the tests find them.
import { stringify } from 'yaml'

export type Values = { readonly [name: string]: unknown }

/** The value at a path such as `image.tag`. Throws if there is none. */
function valueAt(values: Values, path: string): unknown {
  let found: unknown = values
  for (const name of path.split('.')) found = typeof found === 'object' && found !== null ? (found as Values)[name] : undefined
  if (found === undefined) throw new Error(`values.yaml has no ${path}`)
  return found
}

/** A conditional that contains no other one. */
const conditional =
  /^\{\{- if (not )?\.Values\.([\w.]+) \}\}\n((?:(?!\{\{- (?:else|end) \}\}).*\n)*)(?:\{\{- else \}\}\n((?:(?!\{\{- end \}\}).*\n)*))?\{\{- end \}\}\n/gm

export function renderTemplate(template: string, values: Values): string {
  const at = (path: string) => valueAt(values, path)
  return template
    .replaceAll(conditional, (_, not: string | undefined, path: string, text: string, otherwise = '') =>
      (at(path) === true) === (not === undefined) ? text : otherwise,
    )
    .replaceAll(/^ *\{\{- toYaml \.Values\.([\w.]+) \| nindent (\d+) \}\}$/gm, (_, path: string, indent: string) =>
      stringify(at(path))
        .trimEnd()
        .replaceAll(/^/gm, ' '.repeat(Number(indent))),
    )
    .replaceAll(/\{\{ \.Values\.([\w.]+) \| toJson \}\}/g, (_, path: string) => JSON.stringify(at(path)))
    .replaceAll(/\{\{ \.Values\.([\w.]+) \}\}/g, (_, path: string) => String(at(path)))
    .replaceAll('{{ .Release.Name }}', 'release')
}
