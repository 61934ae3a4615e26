// A map of cells for a cleaning robot.
//
// fault 1, bounds, input 0 0 2: a step over the left edge
// fault 2, bounds, input 3 4: rows and columns are exchanged
// fault 3, pointer, input 0: the map as one row has a cell more
// fault 4, bounds, input 3 0 1: a step over the lower edge
// fault 5, bounds, input 3 0 1 1 1: the count of neighbours looks at a row that is not there
extern unsigned __VERIFIER_nondet_uint(void);

#define ROWS 4
#define COLUMNS 5

static unsigned char map[ROWS][COLUMNS];

static int neighbours(int row, int column)
{
    int count = 0;
    for (int r = row - 1; r <= row + 1; r++)
        if (r >= 0 && r < ROWS) //@5 if (r >= 0 && r <= ROWS)
            count += map[r][column]; //!5
    return count;
}

int main(void)
{
    unsigned start = __VERIFIER_nondet_uint() % ROWS, side = __VERIFIER_nondet_uint() % COLUMNS;
    int row = (int)start, column = (int)side;
    map[row][column] = 1; //@2 map[column][row] = 1;
    int *steps[2] = {&row, &column};
    for (int i = 0; i < 3; i++) {
        unsigned way = __VERIFIER_nondet_uint() % 4;
        int next = *steps[way / 2] + (way % 2 ? 1 : -1);
        int most = way / 2 ? COLUMNS : ROWS; //@4 int most = COLUMNS;
        if (next >= 0 && next < most) //@1 if (next < most)
            *steps[way / 2] = next;
        map[row][column]++; //!1 //!4
    }
    int sum = neighbours(row, column);
    unsigned char *cell = &map[0][0];
    for (int i = 0; i < ROWS * COLUMNS; i++) //@3 for (int i = 0; i <= ROWS * COLUMNS; i++)
        sum += cell[i]; //!3
    return sum;
}
