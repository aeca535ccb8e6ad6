import type { JsonObject } from '../api/types.js'
import { Fact, Facts } from '../parts/Facts.js'
import { Text } from '../parts/text/Text.js'
import { targetWords } from './target-text.js'

/** What is started, word by word: nobody can hide where one ends. Or the address that is connected to. */
export function CommandLine({ target }: { readonly target: JsonObject }) {
  const isProgram = target.kind === 'child'
  const [first = '', ...rest] = targetWords(target)
  return (
    <section class="command-words" aria-label={isProgram ? 'Command line' : 'Address'}>
      <h3>{isProgram ? 'Program on this machine' : 'Address'}</h3>
      <ol class="mono">
        <li>
          <Text of={first} />
        </li>
        {rest.map((word, at) => (
          <li key={at}>
            <Text of={word === '' ? '(empty)' : word} />
          </li>
        ))}
      </ol>
      <Facts>
        {typeof target.cwd === 'string' && (
          <Fact name="In the folder" mono>
            <Text of={target.cwd} />
          </Fact>
        )}
        <Names name="With the variables" of={target.env} />
        <Names name="With the headers" of={target.headers} />
      </Facts>
    </section>
  )
}

function Names({ name, of }: { readonly name: string; readonly of: unknown }) {
  const names = typeof of === 'object' && of !== null ? Object.keys(of) : []
  if (names.length === 0) return null
  return (
    <Fact name={name} mono>
      <Text of={names.join(', ')} />
    </Fact>
  )
}
