import type { JsonObject, Server } from '../api/types.js'
import { Fact, Facts } from '../parts/Facts.js'
import { Text } from '../parts/text/Text.js'

/** The command with its arguments marked one by one, so that none can hide; or the URL. */
export function CommandLine({ target }: { readonly target: JsonObject }) {
  const isProgram = target.kind === 'child'
  return (
    <section class="command-words stack near" aria-label={isProgram ? 'Command line' : 'Address'}>
      <h3>{isProgram ? 'Program on this machine' : 'Address'}</h3>
      <ol class="mono cluster">
        {targetWords(target).map((word, at) => (
          <li class="sunken" key={at}>
            <Text of={word === '' && at > 0 ? '(empty)' : word} />
          </li>
        ))}
      </ol>
      <Facts>
        <Fact name="In the folder" text={typeof target.cwd === 'string' ? target.cwd : undefined} mono />
        <Fact name="With the variables" text={namesIn(target.env)} mono />
        <Fact name="With the headers" text={namesIn(target.headers)} mono />
      </Facts>
    </section>
  )
}

const namesIn = (of: unknown): string | undefined =>
  (typeof of === 'object' && of !== null && Object.keys(of).join(', ')) || undefined

function targetWords({ kind, command, args, url }: JsonObject): readonly string[] {
  if (kind !== 'child') return [String(url ?? '')]
  return [String(command ?? ''), ...(Array.isArray(args) ? args.map(String) : [])]
}

/** The command in one line. Arguments with special characters are quoted, so that the limits of each are visible. */
export const targetLine = ({ target }: Pick<Server, 'target'>): string => targetWords(target).map(quoted).join(' ')

const quoted = (word: string): string => (/^[^\s"'\\]+$/.test(word) ? word : JSON.stringify(word))
