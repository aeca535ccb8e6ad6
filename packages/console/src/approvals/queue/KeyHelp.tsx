import { Fragment } from 'preact'
import { Checkbox } from '../../parts/Choice.js'
import { lettersEnabled, setLettersEnabled } from '../decide/use-keys.js'

const confirm = (
  <>
    allow, and then <kbd>Ctrl</kbd> <kbd>Enter</kbd> (or <kbd>⌘</kbd> <kbd>Enter</kbd>) to confirm
  </>
)
const keys = [
  ['j k', 'next and previous call; in the list also the arrow keys'],
  ['a', confirm],
  ['d', 'deny, with an optional reason'],
  ['u', 'show the parts that you have not seen'],
  ['Esc', 'keep it pending'],
] as const

export const KeyHelp = () => (
  <details class="key-help">
    <summary>Keys</summary>
    <dl>
      {keys.map(([names, words]) => (
        <Fragment key={names}>
          <dt>
            {names.split(' ').map((name) => (
              <Fragment key={name}>
                <kbd>{name}</kbd>{' '}
              </Fragment>
            ))}
          </dt>
          <dd>{words}</dd>
        </Fragment>
      ))}
    </dl>
    <Checkbox checked={lettersEnabled.value} onCheck={setLettersEnabled}>
      Use single-letter shortcuts
    </Checkbox>
  </details>
)
