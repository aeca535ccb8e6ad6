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
        allow, and then <kbd>Ctrl</kbd> <kbd>Enter</kbd> (or <kbd>⌘</kbd> <kbd>Enter</kbd>) to confirm
      </dd>
      <dt>
        <kbd>d</kbd>
      </dt>
      <dd>deny, with an optional reason</dd>
      <dt>
        <kbd>u</kbd>
      </dt>
      <dd>show the parts that you have not seen</dd>
      <dt>
        <kbd>Esc</kbd>
      </dt>
      <dd>keep it pending</dd>
    </dl>
    <label class="check">
      <input
        type="checkbox"
        checked={lettersEnabled.value}
        onChange={({ currentTarget }) => setLettersEnabled(currentTarget.checked)}
      />
      Use single-letter shortcuts
    </label>
  </details>
)
