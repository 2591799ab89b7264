/** The last page: this device need not remember the interview any longer. */

import { Memory } from "./memory.js";

new Memory(document.getElementById("done").dataset.session).forget();
