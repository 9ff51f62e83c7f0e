/** What can be done to a case as a whole, for the list of cases and the open case. */
import { texts } from '../../base/texts';
import type { CaseFacts } from '../../state/workbench/cases.svelte';
import type { Session } from '../../state/workbench/session.svelte';
import type { MenuItem } from '../controls/Menu.svelte';

const words = texts.workbench.cases;

export function caseItems(session: Session, about: CaseFacts, readOnly: boolean): MenuItem[] {
  const { cases } = session;
  const may = (run: () => void) => (readOnly ? null : run);
  return [
    { id: 'rename', label: words.rename, run: may(() => cases.ask({ kind: 'rename', about })) },
    {
      id: 'duplicate',
      label: words.duplicate,
      run: may(() => void cases.duplicate(about, words.copyOf(about.name))),
    },
    {
      id: 'delete',
      label: words.delete,
      detail: words.size(about.bytesOnDisk),
      run: may(() => cases.ask({ kind: 'delete', about })),
    },
  ];
}
