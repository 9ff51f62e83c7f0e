/** The texts of the menu that every value has. */
export const values = {
  menu: (what: string) => `Actions for ${what}`,
  more: 'More actions',
  missing: 'not present',
  empty: 'empty',
  actions: {
    only: 'Filter for',
    without: 'Filter out',
    oneOf: 'Add to “is one of”',
    copy: 'Copy',
    follow: 'Follow everywhere',
    column: 'Add as column',
    chart: 'Chart',
    compare: 'Compare with the rest',
  },
  removeColumn: 'Remove column',
} as const;
