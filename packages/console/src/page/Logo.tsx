export const Logo = () => (
  <svg class="mark-of-toolwire" viewBox="0 0 32 32" aria-hidden="true" focusable="false">
    <rect width="32" height="32" rx="7" />
    <path d="M6 16h7m6 0h7M16 9v14" />
    <circle cx="16" cy="16" r="4" />
  </svg>
)
