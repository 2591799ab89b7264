/* The report: its map as a file. */

import { offerPictures } from "./drawn.js";

offerPictures();
