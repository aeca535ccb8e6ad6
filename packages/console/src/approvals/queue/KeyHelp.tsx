import { lettersEnabled, setLettersEnabled } from '../decide/use-keys.js'

/** Which keys do what, and a way to switch single letters off. */
export const KeyHelp = () => (
  <details class="key-help">
    <summary>Keys</summary>
    <dl>
      <dt>
        <kbd>j</kbd> <kbd>k</kbd>
      </dt>
      <dd>next and previous call; in the list also the arrow keys</dd>
      <dt>
        <kbd>a</kbd>
      </dt>
      <dd>
        allow, and then <kbd>Ctrl</kbd> <kbd>Enter</kbd> (or <kbd>⌘</kbd> <kbd>Enter</kbd>) to mean it
      </dd>
      <dt>
        <kbd>d</kbd>
      </dt>
      <dd>deny, with a reason if you like</dd>
      <dt>
        <kbd>u</kbd>
      </dt>
      <dd>show what has not been on the screen</dd>
      <dt>
        <kbd>Esc</kbd>
      </dt>
      <dd>leave it waiting</dd>
    </dl>
    <label class="check">
      <input
        type="checkbox"
        checked={lettersEnabled.value}
        onChange={({ currentTarget }) => setLettersEnabled(currentTarget.checked)}
      />
      Single letters do something
    </label>
  </details>
)
