/** The question between the two steps. */
export const ConfirmAllow = ({ isAlways }: { readonly isAlways: boolean }) => (
  <span class="sure">
    Sure? Press <kbd>Ctrl</kbd> <kbd>Enter</kbd> (or <kbd>⌘</kbd> <kbd>Enter</kbd>) to{' '}
    {isAlways ? 'allow this and calls like it' : 'allow this call'}, <kbd>Esc</kbd> to leave it.
  </span>
)
