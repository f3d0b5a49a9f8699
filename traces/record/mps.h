/* SPDX-License-Identifier: MIT
 * A server of NVIDIA's Multi-Process Service of one's own, for the time of a recording: contexts
 * of virtual GPUs take turns on a GPU (0.14 ms each) and share it under one (docs/as-gpus.md).
 */
#ifndef WARPREEL_MPS_H
#define WARPREEL_MPS_H

struct mps {
	char *folder; /* of its pipes and logs; NULL: not started */
};

/* Starts nvidia-cuda-mps-control, as PATH finds it, in a folder of its own, and sets the
 * environment by which programs started from now on find it. -1 after a message, with nothing
 * left. */
int mps_start(struct mps *mps);
/* Ends it, once its programs have ended; nothing where none was started. */
void mps_stop(struct mps *mps);

#endif
