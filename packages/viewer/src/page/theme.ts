const dark = matchMedia('(prefers-color-scheme: dark)');

/** Follows the system until the button is pressed. @returns switches between light and dark. */
export function useTheme(onChange: () => void): () => void {
  let chosen: 'light' | 'dark' | undefined;
  const apply = (): void => {
    document.documentElement.dataset.theme = chosen ?? (dark.matches ? 'dark' : 'light');
  };
  dark.addEventListener('change', () => {
    apply();
    onChange();
  });
  apply();
  return () => {
    chosen = document.documentElement.dataset.theme === 'dark' ? 'light' : 'dark';
    apply();
    onChange();
  };
}
