/** The mark: a dial with its needle at rest. */
export function Mark({ size = 30 }: { size?: number }) {
  return (
    <svg width={size} height={size} viewBox="0 0 32 32" aria-hidden="true">
      <rect x="1" y="1" width="30" height="30" rx="8" fill="#5cc7d4" />
      <path d="M6.5 21.5a9.5 9.5 0 0 1 19 0" fill="none" stroke="#0c2a32" strokeWidth="3" strokeLinecap="round" />
      <path d="M16 21.5 11.2 13.6" stroke="#0c2a32" strokeWidth="2.6" strokeLinecap="round" />
      <circle cx="16" cy="21.5" r="2.7" fill="#0c2a32" />
    </svg>
  );
}
